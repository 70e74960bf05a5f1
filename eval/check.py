"""Compares judgements with the collection they judge: do documents, elements, sizes and passages fit?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

from eval.assessments import Assessments, Judgements
from eval.geometry import Geometry
from eval.sheets import Result, Sheet

MOST_SHOWN = 20


@dataclass(frozen=True)
class Difference:
    """Something that the judgements say and the collection does not."""

    topic: str
    document: str
    path: str
    what: str
    judged: int | None
    found: int | None


@dataclass(frozen=True)
class Check(Result):
    """What was compared, and every difference."""

    source: str
    documents: int
    elements: int
    passages: int
    differences: tuple[Difference, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return counts and differences."""
        return {
            "assessments": self.source,
            "documents": self.documents,
            "elements": self.elements,
            "passages": self.passages,
            "differences": [vars(difference) for difference in self.differences],
        }

    def sheets(self) -> tuple[Sheet, ...]:
        """Return the first differences, and how many there are of each kind."""
        kinds = dict.fromkeys(difference.what for difference in self.differences)
        counts: list[list[str | int]] = [
            [kind, sum(difference.what == kind for difference in self.differences)] for kind in kinds
        ]
        compared = f"compared: {self.documents} documents, {self.elements} elements, {self.passages} passages"
        summary = Sheet.of("differences", ["kind", "count"], counts or [["none", 0]], notes=[compared])
        if not self.differences:
            return (summary,)
        rows = [[d.topic, d.document, d.path, d.what, d.judged, d.found] for d in self.differences[:MOST_SHOWN]]
        more = len(self.differences) - len(rows)
        notes = [f"{more} more; --json lists all"] if more > 0 else []
        heads = ["topic", "document", "path", "what", "judged", "collection"]
        return summary, Sheet.of("the first of them", heads, rows, notes=notes, n_heads=4)


def check(assessments: Assessments, geometry: Geometry) -> Check:
    """Return how judgements differ from the collection.

    Compared are the length of documents, the existence and the size of elements, rsize against size, and whether
    passages lie inside their documents. What a file does not give is not compared.
    """
    topics = list(assessments.topics.values())
    return Check(
        assessments.source,
        sum(len(judgements.documents) for judgements in topics),
        sum(len(judgements.elements) for judgements in topics),
        sum(len(judgements.passages) for judgements in topics),
        tuple(difference for judgements in topics for difference in _differences(judgements, geometry)),
    )


def _differences(judgements: Judgements, geometry: Geometry) -> Iterator[Difference]:
    lengths = [geometry.length(document) for document in judgements.documents]
    for row, (document, length) in enumerate(zip(judgements.documents, lengths, strict=True)):
        judged = int(judgements.lengths[row])
        if length is None:
            yield Difference(judgements.topic, document, "", "document not in the collection", None, None)
        elif judged >= 0 and judged != length:
            yield Difference(judgements.topic, document, "", "length of the document", judged, length)
    yield from _elements(judgements, geometry, lengths)
    yield from _passages(judgements, geometry, lengths)


def _elements(judgements: Judgements, geometry: Geometry, lengths: Sequence[int | None]) -> Iterator[Difference]:
    elements = judgements.elements
    for row, document in enumerate(judgements.documents):
        mine = elements.document_rows == row
        if lengths[row] is None or not mine.any():
            continue
        paths = list(compress(elements.paths, mine))
        spans = geometry.spans(document, paths)
        sizes = (spans[:, 1] - spans[:, 0]).tolist()
        judged = zip(paths, elements.sizes[mine].tolist(), elements.rsizes[mine].tolist(), strict=True)
        for (path, size, rsize), start, found in zip(judged, spans[:, 0].tolist(), sizes, strict=True):
            if start < 0:
                yield Difference(judgements.topic, document, path, "element not in the collection", None, None)
            elif size >= 0 and size != found:
                yield Difference(judgements.topic, document, path, "size of the element", size, found)
            elif rsize > found:
                yield Difference(judgements.topic, document, path, "rsize past the size", rsize, found)


def _passages(judgements: Judgements, geometry: Geometry, lengths: Sequence[int | None]) -> Iterator[Difference]:
    passages = judgements.passages
    for place in range(len(passages)):
        row = int(passages.document_rows[place])
        document, length, pointer = judgements.documents[row], lengths[row], passages.pointers[place]
        if length is None:
            continue
        for end in pointer or ():
            if geometry.offset(document, end) is None:
                yield Difference(judgements.topic, document, end, "pointer to nothing", None, None)
        stop = int(passages.starts[place] + passages.lengths[place]) if passages.starts[place] >= 0 else -1
        if stop > length:
            yield Difference(judgements.topic, document, "", "passage past the document", stop, length)
