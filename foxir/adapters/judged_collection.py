"""A test collection: documents, topics and the passages that people judged relevant, also as rows."""

from __future__ import annotations

import atexit
import math
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from engine.errors import AssessmentError
from engine.runs.run import NOWHERE, passage_id, place
from engine.topics import TopicFile
from engine.wording import shown
from eval.judgements.formats.judgements_builder import JudgementsBuilder
from eval.judgements.judgements import UNKNOWN, Assessments
from eval.text.element_locator import ElementLocator
from eval.text.offsets import with_passage_offsets
from foxir.building import build_index
from foxir.evaluation import inputs
from foxir.evaluation.inputs import AssessmentsInput, IndexInput
from foxir.sample_data import sample_folder
from foxir.searching.opened_index import Index, open_index
from foxir.searching.topic_input import topics_of


class JudgedRow(NamedTuple):
    """A row of judgements: a highlighted passage (relevance above 0), or a document without relevance (0).

    size: characters of the document's text, -1 if not given.
    """

    query_id: str
    doc_id: str
    relevance: float
    size: int = UNKNOWN


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


def assessments_of_rows(rows: Iterable[JudgedRow], index: IndexInput | None = None) -> Assessments:
    """Return the assessments in the rows.

    Args:
        index: the index of the collection: rows by path, and relevant whole documents, get their offsets from it.

    Raises: AssessmentError for a relevant row whose characters are not known, and for a relevance or size that is not
        a number.
    """
    locator = inputs.locator_of(index)
    topics: dict[str, dict[str, tuple[int, list[tuple[int, int]]]]] = {}
    for row in rows:
        where = place(str(row.doc_id))
        documents = topics.setdefault(str(row.query_id), {})
        size, spans = documents.setdefault(where.document, (_size(row), []))
        if not _relevance(row) > 0:
            continue
        start, length = where.start, where.length
        if start == NOWHERE and where.path is None and size != UNKNOWN:
            start, length = 0, size
        elif start == NOWHERE and locator is not None:
            start, length = _located(locator, where.document, where.path)
        if start == NOWHERE:
            missing = "has no offset" if locator is None else "is not in the index"
            raise AssessmentError(
                f"topic {row.query_id!r}: the relevant {row.doc_id!r} {missing}: write document#offset:length, or give "
                "the index of the collection."
            )
        spans.append((start, length))
    judged = {topic: _judgements(topic, documents) for topic, documents in topics.items()}
    return Assessments("rows", "fol", {topic: builder.build() for topic, builder in judged.items()})


def _relevance(row: JudgedRow) -> float:
    if math.isnan(relevance := _number(row, "relevance", row.relevance)):
        raise _no_number(row, "relevance", row.relevance)
    return relevance


def _size(row: JudgedRow) -> int:
    """Return the size of a row's document; UNKNOWN where a frame has none for it."""
    size = _number(row, "size", row.size)
    if math.isnan(size):
        return UNKNOWN
    if not size.is_integer():
        raise _no_number(row, "size", row.size)
    return int(size)


def _number(row: JudgedRow, name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise _no_number(row, name, value) from None


def _no_number(row: JudgedRow, name: str, value: object) -> AssessmentError:
    expected = "a number, above 0 if relevant" if name == "relevance" else "a whole number of characters"
    return AssessmentError(
        f"topic {row.query_id!r}: the {name} of {row.doc_id!r} is {shown(value)}: expected {expected}."
    )


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


@dataclass(frozen=True, eq=False)
class JudgedCollection:
    """A test collection over an open index.

    Its documents are the whole documents of the index, with their texts; offsets of judgements count characters there.
    """

    index: Index
    topics: TopicFile
    assessments: Assessments

    @classmethod
    def of(
        cls, index: Index | str | Path, topics: TopicFile | str | Path, judged: AssessmentsInput
    ) -> JudgedCollection:
        """Return the collection of an index, topics and assessments, each as a value or as its file or folder.

        Raises: IndexFormatError, TopicError, AssessmentError; TypeError.
        """
        opened = index if isinstance(index, Index) else open_index(index)
        return cls(opened, topics_of(topics), inputs.assessments_of(judged))

    def documents(self) -> Iterator[tuple[str, str]]:
        """Yield id and text of every document, by id."""
        for document in self.index.documents:
            yield document, self.index.text(document)

    def queries(self) -> Iterator[tuple[str, str]]:
        """Yield id and query of every topic: its words, or its path query if it has none."""
        for topic in self.topics:
            yield topic.topic_id, topic.title or topic.castitle

    @cached_property
    def judgements(self) -> tuple[JudgedRow, ...]:
        """The highlighted passages, and the judged documents without any."""
        return tuple(judged_rows(self.assessments, self.index))


@lru_cache(maxsize=1)
def sample_collection() -> JudgedCollection:
    """Return the sample collection with its topics of words; its index is made when it is first asked for."""
    folder = Path(tempfile.mkdtemp(prefix="foxir-sample-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    sample = sample_folder()
    build_index(sample / "collections", into=folder / "sample.foxir")
    return JudgedCollection.of(folder / "sample.foxir", sample / "topics/co", sample / "topics/qrels.txt")
