"""Compares judgements with the collection: are documents, elements and passages there, and do their sizes agree?

Nothing is repaired. Judgements of INEX 2005 count bytes and add one for every passage that touches an element, those
of 2006 fold white space: differences of a few characters there are the files' own arithmetic.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from eval.assessments import UNKNOWN, Assessments, Judgements, read_assessments
from eval.geometry import Geometry
from eval.intervals import Highlights
from eval.placing import span_of
from eval.sheets import Column, Result, Sheet

Difference: TypeAlias = Literal[
    "document", "length", "element", "size", "rsize", "passage", "passage length", "highlighted"
]

MEANINGS: Mapping[Difference, str] = {
    "document": "document is not in the index",
    "length": "document has another length",
    "element": "element is not in the document",
    "size": "element has another size",
    "rsize": "element holds another amount of highlighted text",
    "passage": "passage lies outside the document, or its pointers point at nothing",
    "passage length": "passage has another length than its pointers say",
    "highlighted": "document has another amount of highlighted text than its passages",
}

SHOWN = 20
"""Differences that are shown one by one; all stand in JSON."""


@dataclass(frozen=True)
class Found:
    """One difference: what the judgements say and what the collection has, None where it has nothing."""

    topic: str
    document: str
    place: str
    difference: Difference
    judged: int | None
    collection: int | None


@dataclass(frozen=True)
class Check(Result):
    """How many documents, elements and passages were compared, and every difference."""

    source: str
    documents: int
    elements: int
    passages: int
    differences: tuple[Found, ...]

    @property
    def is_equal(self) -> bool:
        """Whether there is no difference."""
        return not self.differences

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"source", "documents", "elements", "passages", "counts", "differences": [...]}``."""
        return {
            "source": self.source,
            "documents": self.documents,
            "elements": self.elements,
            "passages": self.passages,
            "counts": self._counts(),
            "differences": [
                {
                    "topic": found.topic,
                    "document": found.document,
                    "place": found.place,
                    "difference": found.difference,
                    "judged": found.judged,
                    "collection": found.collection,
                }
                for found in self.differences
            ],
        }

    def sheets(self) -> tuple[Sheet, ...]:
        """Return the counts, and the first differences."""
        compared = f"{self.documents} documents, {self.elements} elements, {self.passages} passages compared"
        counts = Sheet.of(
            "Judgements and collection",
            ["difference", Column("count", 0)],
            [[MEANINGS[name], count] for name, count in self._counts().items()] or [["none", 0]],
            notes=[compared],
        )
        if not self.differences:
            return (counts,)
        rest = len(self.differences) - SHOWN
        first = Sheet.of(
            "Differences",
            ["topic", "document", "place", "difference", Column("judged", 0), Column("collection", 0)],
            [[f.topic, f.document, f.place, f.difference, f.judged, f.collection] for f in self.differences[:SHOWN]],
            notes=[f"{rest} more (--json lists all)"] if rest > 0 else [],
            n_heads=2,
        )
        return counts, first

    def _counts(self) -> dict[Difference, int]:
        counted = Counter(found.difference for found in self.differences)
        return {name: counted[name] for name in MEANINGS if counted[name]}


def check(assessments: Assessments | str | Path, geometry: Geometry) -> Check:
    """Return where judgements and collection differ, in the order of the judgements."""
    found = assessments if isinstance(assessments, Assessments) else read_assessments(assessments)
    topics = list(found.topics.values())
    return Check(
        found.source,
        sum(len(judgements.documents) for judgements in topics),
        sum(len(judgements.elements) for judgements in topics),
        sum(len(judgements.passages) for judgements in topics),
        tuple(
            difference
            for judgements in topics
            for row in range(len(judgements.documents))
            for difference in _document(judgements, row, geometry)
        ),
    )


def _document(judgements: Judgements, row: int, geometry: Geometry) -> Iterator[Found]:
    topic, document = judgements.topic, judgements.documents[row]
    length = geometry.length(document)
    if length is None:
        yield Found(topic, document, "", "document", None, None)
        return
    judged_length = int(judgements.lengths[row])
    if judged_length not in (UNKNOWN, length):
        yield Found(topic, document, "", "length", judged_length, length)
    spans: list[tuple[int, int]] = []
    lost = 0
    for i in range(*judgements.passage_bounds[row : row + 2].tolist()):
        span, differences = _passage(judgements, i, document, length, geometry)
        yield from differences
        spans += [span] if span else []
        lost += span is None
    if lost:  # what is highlighted is not known in full
        yield from _elements(judgements, row, None, geometry)
        return
    text = Highlights.of(*np.array(spans, dtype=np.int64).reshape(-1, 2).T)
    highlighted = int(judgements.highlighted[row])
    if highlighted not in (UNKNOWN, text.total):
        yield Found(topic, document, "", "highlighted", highlighted, text.total)
    yield from _elements(judgements, row, text if spans else None, geometry)


def _passage(
    judgements: Judgements, i: int, document: str, length: int, geometry: Geometry
) -> tuple[tuple[int, int] | None, list[Found]]:
    """Return where a passage lies, None if nowhere, and what is different about it."""
    passages = judgements.passages
    start, size = int(passages.starts[i]), int(passages.lengths[i])
    pointers = passages.pointers[i]
    place = f"{start}:{size}" if pointers is None else " – ".join(pointers)
    if pointers is not None:
        found = span_of(pointers, document, geometry)
        start, end = found if start == UNKNOWN else (start, start + size)
    else:
        end = start + size
    if not 0 <= start <= end <= length:
        return None, [Found(judgements.topic, document, place, "passage", end if pointers is None else None, length)]
    if size not in (UNKNOWN, end - start):
        return (start, end), [Found(judgements.topic, document, place, "passage length", size, end - start)]
    return (start, end), []


def _elements(judgements: Judgements, row: int, text: Highlights | None, geometry: Geometry) -> Iterator[Found]:
    """Yield what differs in the judged elements of a document; their highlighted text only where passages tell it."""
    elements, topic, document = judgements.elements, judgements.topic, judgements.documents[row]
    first, end = judgements.element_bounds[row : row + 2].tolist()
    if first == end:
        return
    spans = geometry.spans(document, elements.paths[first:end])
    inside = None if text is None else text.within(spans[:, 0], spans[:, 1])
    for i in range(first, end):
        begin, finish = spans[i - first].tolist()
        path, size, rsize = elements.paths[i], int(elements.sizes[i]), int(elements.rsizes[i])
        if begin < 0:
            yield Found(topic, document, path, "element", None, None)
            continue
        if size not in (UNKNOWN, finish - begin):
            yield Found(topic, document, path, "size", size, finish - begin)
        if inside is not None and rsize not in (UNKNOWN, int(inside[i - first])):
            yield Found(topic, document, path, "rsize", rsize, int(inside[i - first]))
