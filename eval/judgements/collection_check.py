"""Consistency of judgements with the collection: existence of documents, elements and passages, and their sizes.

Nothing is repaired. Judgements of INEX 2005 count bytes and add one for every passage that intersects an element, those
of 2006 normalise white space: differences of a few characters are due to that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from eval.judgements.formats.read import read_assessments
from eval.judgements.judgements import UNKNOWN, Assessments, Judgements
from eval.output.tables import Column, PrintableResult, PrintedTable
from eval.text.element_locator import ElementLocator
from eval.text.highlighted_text import HighlightedIntervals
from eval.text.offsets import pointer_span

DifferenceKind: TypeAlias = Literal[
    "document", "length", "element", "size", "rsize", "passage", "passage length", "highlighted"
]

MEANINGS: Mapping[DifferenceKind, str] = {
    "document": "document is not in the index",
    "length": "document has another length",
    "element": "element is not in the document",
    "size": "element has another size",
    "rsize": "element has more or less highlighted text",
    "passage": "passage is outside the document, or its pointers do not resolve",
    "passage length": "passage has another length than its pointers say",
    "highlighted": "document has more or less highlighted text than its passages",
}

# Number of differences listed in the printed table; JSON contains all.
SHOWN = 20


@dataclass(frozen=True)
class CollectionDifference:
    """One difference: the value in the judgements and in the collection, None if it is missing there."""

    topic: str
    document: str
    place: str
    difference: DifferenceKind
    judged: int | None
    collection: int | None


@dataclass(frozen=True, repr=False)
class CollectionCheck(PrintableResult):
    """Numbers of compared documents, elements and passages, and all differences."""

    source: str
    documents: int
    elements: int
    passages: int
    differences: tuple[CollectionDifference, ...]

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

    def tables(self) -> tuple[PrintedTable, ...]:
        """Return the counts, and the first differences."""
        compared = f"{self.documents} documents, {self.elements} elements, {self.passages} passages compared"
        counts = PrintedTable.of(
            "Judgements and collection",
            ["difference", Column("count", 0)],
            [[MEANINGS[name], count] for name, count in self._counts().items()] or [["none", 0]],
            notes=[compared],
        )
        if not self.differences:
            return (counts,)
        rest = len(self.differences) - SHOWN
        first = PrintedTable.of(
            "Differences",
            ["topic", "document", "place", "difference", Column("judged", 0), Column("collection", 0)],
            [[f.topic, f.document, f.place, f.difference, f.judged, f.collection] for f in self.differences[:SHOWN]],
            notes=[f"{rest} more (JSON lists all)"] if rest > 0 else [],
            n_heads=2,
        )
        return counts, first

    def _counts(self) -> dict[DifferenceKind, int]:
        counted = Counter(found.difference for found in self.differences)
        return {name: counted[name] for name in MEANINGS if counted[name]}


def check_against_collection(assessments: Assessments | str | Path, locator: ElementLocator) -> CollectionCheck:
    """Return the differences between judgements and collection, in the order of the judgements."""
    found = assessments if isinstance(assessments, Assessments) else read_assessments(assessments)
    topics = list(found.topics.values())
    return CollectionCheck(
        found.source,
        sum(len(judgements.documents) for judgements in topics),
        sum(len(judgements.elements) for judgements in topics),
        sum(len(judgements.passages) for judgements in topics),
        tuple(
            difference
            for judgements in topics
            for row in range(len(judgements.documents))
            for difference in _document(judgements, row, locator)
        ),
    )


def _document(judgements: Judgements, row: int, locator: ElementLocator) -> Iterator[CollectionDifference]:
    topic, document = judgements.topic, judgements.documents[row]
    length = locator.length(document)
    if length is None:
        yield CollectionDifference(topic, document, "", "document", None, None)
        return
    judged_length = int(judgements.lengths[row])
    if judged_length not in (UNKNOWN, length):
        yield CollectionDifference(topic, document, "", "length", judged_length, length)
    spans: list[tuple[int, int]] = []
    lost = 0
    for i in range(*judgements.passage_bounds[row : row + 2].tolist()):
        span, differences = _passage(judgements, i, document, length, locator)
        yield from differences
        spans += [span] if span else []
        lost += span is None
    if lost:  # the highlighted text is not fully known
        yield from _elements(judgements, row, None, locator)
        return
    text = HighlightedIntervals.of(*np.array(spans, dtype=np.int64).reshape(-1, 2).T)
    highlighted = int(judgements.highlighted[row])
    if highlighted not in (UNKNOWN, text.total):
        yield CollectionDifference(topic, document, "", "highlighted", highlighted, text.total)
    yield from _elements(judgements, row, text if spans else None, locator)


def _passage(
    judgements: Judgements, i: int, document: str, length: int, locator: ElementLocator
) -> tuple[tuple[int, int] | None, list[CollectionDifference]]:
    """Return the span of a passage, None if it does not exist, and its differences."""
    passages = judgements.passages
    start, size = int(passages.starts[i]), int(passages.lengths[i])
    pointers = passages.pointers[i]
    place = f"{start}:{size}" if pointers is None else " – ".join(pointers)
    if pointers is not None:
        found = pointer_span(pointers, document, locator)
        start, end = found if start == UNKNOWN else (start, start + size)
    else:
        end = start + size
    if not 0 <= start <= end <= length:
        return None, [
            CollectionDifference(
                judgements.topic, document, place, "passage", end if pointers is None else None, length
            )
        ]
    if size not in (UNKNOWN, end - start):
        return (start, end), [
            CollectionDifference(judgements.topic, document, place, "passage length", size, end - start)
        ]
    return (start, end), []


def _elements(
    judgements: Judgements, row: int, text: HighlightedIntervals | None, locator: ElementLocator
) -> Iterator[CollectionDifference]:
    """Yield the differences of the judged elements of a document; of rsize only if the passages are known."""
    elements, topic, document = judgements.elements, judgements.topic, judgements.documents[row]
    first, end = judgements.element_bounds[row : row + 2].tolist()
    if first == end:
        return
    spans = locator.spans(document, elements.paths[first:end])
    inside = None if text is None else text.count_within(spans[:, 0], spans[:, 1])
    for i in range(first, end):
        begin, finish = spans[i - first].tolist()
        path, size, rsize = elements.paths[i], int(elements.sizes[i]), int(elements.rsizes[i])
        if begin < 0:
            yield CollectionDifference(topic, document, path, "element", None, None)
            continue
        if size not in (UNKNOWN, finish - begin):
            yield CollectionDifference(topic, document, path, "size", size, finish - begin)
        if inside is not None and rsize not in (UNKNOWN, int(inside[i - first])):
            yield CollectionDifference(topic, document, path, "rsize", rsize, int(inside[i - first]))
