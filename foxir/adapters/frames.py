"""Runs, scores and assessments as data frames of pandas, and runs and assessments back; answers: `Answers.to_frame`.

The columns are named as ir_measures names them (query_id, doc_id, score, relevance, value), so that its functions take
the frames as they are; a doc_id is an id of `engine.runs.passage_ids`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from engine.errors import AssessmentError, FoxirError, RunFormatError
from engine.runs import Ranking, Run
from engine.runs.data_frame import data_frame
from engine.runs.passage_ids import passage_id, place
from engine.runs.run import NOWHERE
from eval.judgements import Assessments
from eval.judgements.formats.judgements_builder import JudgementsBuilder
from eval.judgements.judgements import UNKNOWN
from eval.scoring.score_table import ScoreTable
from eval.text.element_locator import ElementLocator
from eval.text.offsets import with_passage_offsets, with_result_offsets
from foxir import arguments, inputs
from foxir.inputs import IndexInput

if TYPE_CHECKING:
    import pandas as pd


class JudgedRow(NamedTuple):
    """A row of judgements: a highlighted passage (relevance above 0), or a document without relevance (0).

    size: characters of the document's text, -1 if not given.
    """

    query_id: str
    doc_id: str
    relevance: float
    size: int = UNKNOWN


class ScoredRow(NamedTuple):
    """A row of a run."""

    query_id: str
    doc_id: str
    score: float


def run_frame(run: Run, *, index: IndexInput | None = None) -> pd.DataFrame:
    """Return a run as a frame: query_id, doc_id, score, rank, document, path, start, length (-1 if not given).

    Args:
        index: the index of the collection, open or its folder: results by path get their offsets from it, and ids
            with offsets, from which measures are computed without an index.

    Raises: MissingHostError; MeasureError for a path that the index does not have.
    """
    run, locator = arguments.instance("run", run, Run), inputs.locator_of(index)
    if locator is not None:
        located = {topic: with_result_offsets(ranking, locator) for topic, ranking in run.rankings.items()}
        run = replace(run, rankings=located)
    return run.to_frame()


def table_frame(table: ScoreTable) -> pd.DataFrame:
    """Return scores as a frame with a row for each topic: run, family, measure, options, query_id, value (NaN: none).

    Raises: MissingHostError without pandas.
    """
    return arguments.instance("table", table, ScoreTable).to_frame()


def assessments_frame(assessments: Assessments, *, index: IndexInput | None = None) -> pd.DataFrame:
    """Return highlighted passages as a frame: query_id, doc_id, relevance, size; one row a passage.

    A judged document without relevance has a row of its own, with relevance 0. `size` is the length of the document.

    Args:
        index: the index of the collection, open or its folder, which passages given by pointers need.

    Raises: MissingHostError; MeasureError where an index is needed.
    """
    judged = arguments.instance("assessments", assessments, Assessments)
    rows = list(judged_rows(judged, index))
    return data_frame({name: [getattr(row, name) for row in rows] for name in JudgedRow._fields})


def judged_rows(assessments: Assessments, index: IndexInput | None = None) -> Iterable[JudgedRow]:
    """Yield the highlighted passages of all topics, and the documents without any."""
    locator = inputs.locator_of(index)
    for topic in assessments.topics.values():
        judgements = with_passage_offsets(topic, locator)
        passages = judgements.passages
        for row, document in enumerate(judgements.documents):
            size = int(judgements.lengths[row])
            first, end = judgements.passage_bounds[row : row + 2].tolist()
            spans = zip(passages.starts[first:end].tolist(), passages.lengths[first:end].tolist(), strict=True)
            if first == end:
                yield JudgedRow(judgements.topic, document, 0, size)
            for start, length in spans:
                yield JudgedRow(judgements.topic, passage_id(document, None, start, length), 1, size)


def run_of_frame(frame: pd.DataFrame, run_id: str = "run") -> Run:
    """Return the run in a frame with the columns query_id, doc_id and score; equal scores keep the order of the rows.

    Raises: RunFormatError for missing columns and scores that are not numbers.
    """
    _require_columns(frame, ("query_id", "doc_id", "score"), "a run", RunFormatError)
    columns = (frame[name].tolist() for name in ("query_id", "doc_id", "score"))
    return run_of_rows((ScoredRow(*row) for row in zip(*columns, strict=True)), arguments.run_id("run_id", run_id))


def run_of_rows(rows: Iterable[ScoredRow], run_id: str = "run") -> Run:
    """Return the run in some rows, ranked by score within each topic; equal scores keep the order of the rows."""
    topics: dict[str, list[ScoredRow]] = {}
    for row in rows:
        topics.setdefault(str(row.query_id), []).append(row)
    return Run(run_id, {topic: _ranking(topic, found) for topic, found in topics.items()})


def assessments_of_frame(frame: pd.DataFrame) -> Assessments:
    """Return the assessments in a frame with the columns query_id, doc_id, relevance and, if it has one, size.

    Raises: AssessmentError for missing columns, and a relevant row without a place in a document of unknown size.
    """
    _require_columns(frame, ("query_id", "doc_id", "relevance"), "assessments", AssessmentError)
    sizes = frame["size"].tolist() if "size" in frame else [UNKNOWN] * len(frame)
    columns = (frame[name].tolist() for name in ("query_id", "doc_id", "relevance"))
    return assessments_of_rows(
        JudgedRow(query, identifier, relevance, size)
        for query, identifier, relevance, size in zip(*columns, sizes, strict=True)
    )


def assessments_of_rows(rows: Iterable[JudgedRow], index: IndexInput | None = None) -> Assessments:
    """Return the assessments in some rows.

    Args:
        index: the index of the collection: rows by path, and relevant whole documents, get their offsets from it.

    Raises: AssessmentError for a relevant row whose characters are not known.
    """
    locator = inputs.locator_of(index)
    topics: dict[str, dict[str, tuple[int, list[tuple[int, int]]]]] = {}
    for row in rows:
        where = place(str(row.doc_id))
        documents = topics.setdefault(str(row.query_id), {})
        size, spans = documents.setdefault(where.document, (int(row.size), []))
        if not row.relevance > 0:
            continue
        start, length = where.start, where.length
        if start == NOWHERE and where.path is None and size != UNKNOWN:
            start, length = 0, size
        elif start == NOWHERE and locator is not None:
            start, length = _located(locator, where.document, where.path)
        if start == NOWHERE:
            raise AssessmentError(
                f"topic {row.query_id!r}: the relevant {row.doc_id!r} has no offset: write document#offset:length, or "
                "give the index of the collection."
            )
        spans.append((start, length))
    judged = {topic: _judgements(topic, documents) for topic, documents in topics.items()}
    return Assessments("rows", "fol", {topic: builder.build() for topic, builder in judged.items()})


def _judgements(topic: str, documents: dict[str, tuple[int, list[tuple[int, int]]]]) -> JudgementsBuilder:
    builder = JudgementsBuilder(topic, "fol", "rows")
    for document, (size, spans) in documents.items():
        first = min((start for start, _ in spans), default=UNKNOWN)
        builder.document(document, "rows", length=size, entry_point=first)
        for start, length in sorted(set(spans)):
            builder.passage(start, length)
    return builder


def _located(locator: ElementLocator, document: str, path: str | None) -> tuple[int, int]:
    if path is None:
        length = locator.length(document)
        return (NOWHERE, NOWHERE) if length is None else (0, length)
    start, end = locator.spans(document, [path])[0].tolist()
    return start, end - start if start != NOWHERE else NOWHERE


def _ranking(topic: str, rows: list[ScoredRow]) -> Ranking:
    try:
        scores = np.array([float(row.score) for row in rows])
    except (TypeError, ValueError) as error:
        raise RunFormatError(f"topic {topic!r}: a score is not a number: {error}.") from None
    if not np.isfinite(scores).all():
        raise RunFormatError(f"topic {topic!r}: a score is not finite: expected numbers.")
    order = np.argsort(-scores, kind="stable")
    places = [place(str(rows[row].doc_id)) for row in order.tolist()]
    return Ranking.ranked(
        topic,
        [each.document for each in places],
        [each.path for each in places],
        rsv=scores[order],
        starts=[each.start for each in places],
        lengths=[each.length for each in places],
    )


def _require_columns(frame: Any, names: Sequence[str], what: str, error: type[FoxirError]) -> None:
    found: list[Hashable] = list(getattr(frame, "columns", ()))
    if missing := [name for name in names if name not in found]:
        raise error(f"the frame of {what} has no column {missing[0]!r}: expected {', '.join(names)}, found {found}.")
