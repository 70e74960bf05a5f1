"""Runs, scores and assessments as data frames of pandas, and back; answers become one by `Answers.to_frame`.

The columns are named as ir_measures names them (query_id, doc_id, score, relevance, value), so that its functions take
the frames as they are; a doc_id is an id of `engine.runs.run`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from engine.errors import AssessmentError, FoxirError, MeasureError, RunFormatError
from engine.runs import Ranking, Run
from engine.runs.run import place
from engine.system.host_programs import data_frame
from engine.wording import shown
from eval.judgements.judgements import UNKNOWN, Assessments
from eval.measures.registry import OptionValue, measure_family
from eval.scoring.score_table import ScoreRow, ScoreTable
from eval.text.offsets import with_result_offsets
from foxir import arguments
from foxir.adapters.judged_collection import JudgedRow, assessments_of_rows, judged_rows
from foxir.evaluation import inputs
from foxir.evaluation.inputs import IndexInput

if TYPE_CHECKING:
    import pandas as pd


SCORE_COLUMNS = ("run", "family", "measure", "options", "query_id", "value")


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


def run_of_frame(frame: pd.DataFrame, run_id: str = "run") -> Run:
    """Return the run in a frame with the columns query_id, doc_id and score; equal scores keep the order of the rows.

    Raises: RunFormatError for missing columns and scores that are not numbers.
    """
    _require_columns(frame, ("query_id", "doc_id", "score"), "a run", RunFormatError)
    columns = (frame[name].tolist() for name in ("query_id", "doc_id", "score"))
    return run_of_rows((ScoredRow(*row) for row in zip(*columns, strict=True)), arguments.run_id("run_id", run_id))


def run_of_rows(rows: Iterable[ScoredRow], run_id: str = "run") -> Run:
    """Return the run in the rows, ranked by score within each topic; equal scores keep the order of the rows."""
    topics: dict[str, list[ScoredRow]] = {}
    for row in rows:
        topics.setdefault(str(row.query_id), []).append(row)
    return Run(run_id, {topic: _ranking(topic, found) for topic, found in topics.items()})


def assessments_of_frame(frame: pd.DataFrame) -> Assessments:
    """Return the assessments in a frame with the columns query_id, doc_id, relevance and, if it has one, size.

    A size that is missing (NaN) is not known.

    Raises: AssessmentError for missing columns, a relevance or size that is not a number, and a relevant row without a
        place in a document of unknown size.
    """
    _require_columns(frame, ("query_id", "doc_id", "relevance"), "assessments", AssessmentError)
    sizes = frame["size"].tolist() if "size" in frame else [UNKNOWN] * len(frame)
    columns = (frame[name].tolist() for name in ("query_id", "doc_id", "relevance"))
    return assessments_of_rows(
        JudgedRow(query, identifier, relevance, size)
        for query, identifier, relevance, size in zip(*columns, sizes, strict=True)
    )


def table_of_frame(frame: pd.DataFrame) -> ScoreTable:
    """Return the scores in a frame with the columns of `ScoreTable.to_frame`, or some of its rows; NaN is not a value.

    Printed tables show all of its measures, points of curves too. Notices are not in a frame.

    Raises: MeasureError for missing columns, unknown families and options, and values that are not numbers.
    """
    _require_columns(frame, SCORE_COLUMNS, "scores", MeasureError)
    topics: dict[tuple[str, str, str, str], dict[str, float | None]] = {}
    for *names, topic, value in zip(*(frame[name].tolist() for name in SCORE_COLUMNS), strict=True):
        run, family, measure, options = map(str, names)
        topics.setdefault((run, family, measure, options), {})[str(topic)] = _score(value, f"{run}, topic {topic}")
    return ScoreTable(
        tuple(
            ScoreRow(run, measure_family(family).name, measure, _options(family, options), values)
            for (run, family, measure, options), values in topics.items()
        )
    )


def _options(family: str, text: str) -> dict[str, OptionValue]:
    """Return the options that a frame has as `alpha=1 seen=union`."""
    known = {option.name: option for option in measure_family(family).options}
    pairs = [part.partition("=")[::2] for part in text.split()]
    if unknown := [name for name, _ in pairs if name not in known]:
        raise MeasureError(f"{family} has no option {unknown[0]!r}; it has {', '.join(known) or 'none'}.")
    return {name: known[name].parse(value) for name, value in pairs}


def _score(value: Any, where: str) -> float | None:
    try:
        score = float(value)
    except (TypeError, ValueError):
        raise MeasureError(f"{where}: the value is {shown(value)}: expected a number, or NaN for none.") from None
    return None if math.isnan(score) else score


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
