"""How far two assessors agree who judged the same topics.

Source: Pehcevski, thesis, 4.2.3, tables 4.8 and 4.9. Agreement is what both call relevant divided by what either does;
for a grade, what both give that grade divided by what either gives it. A document has the grade of its root element.
Among mutually agreed elements (both call them relevant) it is asked how many of those that the first assessor gives a
grade are given the same by the second.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from engine.errors import AssessmentError
from eval.assessments import Assessments, Judgements, read_assessments
from eval.element_grades import grades, specificity_grades
from eval.elements import with_elements
from eval.geometry import BoolArray, Geometry
from eval.left_out import LeftOut
from eval.paths import root
from eval.placing import highlights, with_offsets
from eval.quantisation import dimensions
from eval.sheets import Column, Result, Sheet, rounded

Unit: TypeAlias = tuple[str, str]
"""A document, and the path of an element or nothing for the document as a whole."""

RELEVANT = "relevant"


@dataclass(frozen=True)
class Overlap:
    """How many units either assessor has, and how many both."""

    union: int
    common: int

    @property
    def share(self) -> float | None:
        """The agreement, None where neither has a unit."""
        return self.common / self.union if self.union else None


@dataclass(frozen=True)
class Confirmed:
    """Mutually agreed elements to which the first assessor gives a grade, and how many of them the second gives it."""

    first: int
    both: int

    @property
    def share(self) -> float | None:
        """The part that is confirmed, None where the first assessor gives the grade to none."""
        return self.both / self.first if self.first else None


@dataclass(frozen=True)
class TopicAgreement:
    """The agreement on one topic: what is relevant at all, and each grade.

    ``elements`` and ``mutual`` are empty where no elements are known, ``characters`` (of highlighted text) is None
    where no offsets are.
    """

    topic: str
    documents: Mapping[str, Overlap]
    elements: Mapping[str, Overlap]
    mutual: Mapping[str, Confirmed]
    characters: Overlap | None


@dataclass(frozen=True)
class AssessorAgreement(Result):
    """The agreement on all topics that both have judged."""

    first: str
    second: str
    topics: tuple[TopicAgreement, ...]
    notices: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"first", "second", "topics": [{"topic", "documents", "elements", "mutually_agreed", ...}]}``."""
        return {
            "first": self.first,
            "second": self.second,
            "topics": [
                {
                    "topic": topic.topic,
                    "documents": {name: _overlap(overlap) for name, overlap in topic.documents.items()},
                    "elements": {name: _overlap(overlap) for name, overlap in topic.elements.items()},
                    "characters": None if topic.characters is None else _overlap(topic.characters),
                    "mutually_agreed": {
                        name: {"first": c.first, "both": c.both, "share": rounded(c.share)}
                        for name, c in topic.mutual.items()
                    },
                }
                for topic in self.topics
            ],
        }

    def sheets(self) -> tuple[Sheet, ...]:
        """Return one table a level, as table 4.8, and the mutually agreed elements, as table 4.9."""
        documents = _level("Agreement on documents", [(t.topic, t.documents) for t in self.topics])
        elements = _level("Agreement on elements", [(t.topic, t.elements) for t in self.topics if t.elements])
        characters = _level(
            "Agreement on highlighted characters",
            [(t.topic, {RELEVANT: t.characters}) for t in self.topics if t.characters is not None],
        )
        return tuple(s for s in (documents, elements, self._mutual(), characters) if s is not None)

    def _mutual(self) -> Sheet | None:
        rows = [(topic.topic, topic.mutual) for topic in self.topics if topic.mutual]
        if not rows:
            return None
        names = list(dict.fromkeys(name for _, mutual in rows for name in mutual))
        cells: list[list[str | float | None]] = [
            [topic, *(v for name in names for v in (mutual[name].first, mutual[name].share))] for topic, mutual in rows
        ]
        columns = [column for name in names for column in (Column(name, 0), Column(f"{name} confirmed", 2))]
        return Sheet.of(
            "Mutually agreed elements: grade of the first assessor, and share confirmed by the second",
            ["topic", *columns],
            [*cells, ["mean", *_means([row[1:] for row in cells])]],
        )


def agreement(
    first: Assessments | str | Path, second: Assessments | str | Path, *, geometry: Geometry | None = None
) -> AssessorAgreement:
    """Return how far two sets of judgements agree on the topics that both have.

    Judgements that are passages alone have elements, and pointers have offsets, only with a geometry; without one
    these levels are left out and noticed. Where the two are on different scales, grades are left out.

    Raises: AssessmentError if they have no topic in common.
    """
    a, b = (x if isinstance(x, Assessments) else read_assessments(x) for x in (first, second))
    topics = [topic for topic in a.topics if topic in b.topics]
    if not topics:
        raise AssessmentError(
            f"no topic is judged in both: {a.source} has {next(iter(a.topics))!r}, {b.source} has "
            f"{next(iter(b.topics))!r}."
        )
    notices = [*a.notices, *b.notices]
    single = (len(a.topics) - len(topics), len(b.topics) - len(topics))
    if any(single):
        notices.append(LeftOut(f"topics judged in one of the two only, left out: {single[0]} and {single[1]}"))
    if dimensions(a.scale) != dimensions(b.scale):
        notices.append(f"{a.source} is on the scale of {a.scale}, {b.source} of {b.scale}: grades are not compared")
    found = tuple(topic_agreement(a.topics[topic], b.topics[topic], geometry) for topic in topics)
    if not all(topic.elements for topic in found):
        notices.append("agreement on elements is left out where only passages are judged (--index gives elements)")
    return AssessorAgreement(a.source, b.source, found, tuple(notices))


def topic_agreement(first: Judgements, second: Judgements, geometry: Geometry | None = None) -> TopicAgreement:
    """Return the agreement on one topic."""
    both = [_with_known_elements(judgements, geometry) for judgements in (first, second)]
    dimension = _comparable(first, second)
    characters = _characters(first, second, geometry)
    a_elements, b_elements = (_elements(j, dimension) for j in both)
    a_documents, b_documents = (_documents(j, e) for j, e in zip(both, (a_elements, b_elements), strict=True))
    documents = _overlaps(a_documents, b_documents)
    if not all(len(judgements.elements) or not len(judgements.passages) for judgements in both):
        return TopicAgreement(first.topic, {RELEVANT: documents[RELEVANT]}, {}, {}, characters)
    agreed = a_elements[RELEVANT] & b_elements[RELEVANT]
    mutual = {
        name: Confirmed(len(units & agreed), len(units & agreed & b_elements.get(name, set())))
        for name, units in a_elements.items()
        if name != RELEVANT
    }
    return TopicAgreement(first.topic, documents, _overlaps(a_elements, b_elements), mutual, characters)


def _with_known_elements(judgements: Judgements, geometry: Geometry | None) -> Judgements:
    return judgements if geometry is None else with_elements(judgements, geometry)


def _comparable(first: Judgements, second: Judgements) -> Callable[[Judgements], Mapping[str, BoolArray]]:
    """Return what gives the grades that can be compared: none on different scales, no exhaustivity without judged
    elements."""
    if dimensions(first.scale) != dimensions(second.scale):
        return lambda _: {}
    if all(len(judgements.elements) for judgements in (first, second)):
        return grades
    return specificity_grades


def _elements(
    judgements: Judgements, dimension: Callable[[Judgements], Mapping[str, BoolArray]]
) -> Mapping[str, set[Unit]]:
    """Return the relevant elements, all and of each grade."""
    documents, rows = judgements.documents, judgements.elements.document_rows.tolist()
    units = [(documents[row], path) for row, path in zip(rows, judgements.elements.paths, strict=True)]
    masks = {RELEVANT: judgements.elements.relevant, **dimension(judgements)}
    return {name: {units[i] for i in np.flatnonzero(mask).tolist()} for name, mask in masks.items()}


def _documents(judgements: Judgements, elements: Mapping[str, set[Unit]]) -> Mapping[str, set[Unit]]:
    """Return the relevant documents, and by the grade of their root element those of each grade."""
    passages = judgements.passages
    marked = set(passages.document_rows[passages.lengths != 0].tolist())
    marked |= set(np.flatnonzero(judgements.highlighted > 0).tolist())
    relevant = {judgements.documents[row] for row in marked} | {document for document, _ in elements[RELEVANT]}
    roots = {
        name: {(document, "") for document, path in units if path == root(path)} for name, units in elements.items()
    }
    return {**roots, RELEVANT: {(document, "") for document in relevant}}


def _overlaps(a: Mapping[str, set[Unit]], b: Mapping[str, set[Unit]]) -> Mapping[str, Overlap]:
    nothing: set[Unit] = set()
    names = dict.fromkeys([*a, *b])
    return {
        n: Overlap(len(a.get(n, nothing) | b.get(n, nothing)), len(a.get(n, nothing) & b.get(n, nothing)))
        for n in names
    }


def _characters(first: Judgements, second: Judgements, geometry: Geometry | None) -> Overlap | None:
    """Return the agreement on highlighted characters, None where they are not known or nobody highlighted any.

    They are not known where a passage has no offsets, or relevant elements stand without passages.
    """
    if not len(first.passages) + len(second.passages):
        return None
    if any(not len(j.passages) and j.elements.relevant.any() for j in (first, second)):
        return None
    if geometry is None:
        placed = [(j.passages.starts >= 0).all() and (j.passages.lengths >= 0).all() for j in (first, second)]
        if not all(placed):
            return None
    else:
        first, second = with_offsets(first, geometry), with_offsets(second, geometry)
    common = total = 0
    for row in range(len(first.documents)):
        mine = highlights(first, row)
        total += mine.total
        other = second.row_of_document.get(first.documents[row])
        if other is not None:
            theirs = highlights(second, other)
            common += int(mine.within(theirs.starts, theirs.ends).sum())
    total += sum(highlights(second, row).total for row in range(len(second.documents)))
    return Overlap(total - common, common)


def _level(title: str, rows: Sequence[tuple[str, Mapping[str, Overlap]]]) -> Sheet | None:
    if not rows:
        return None
    names = [n for n in dict.fromkeys(name for _, overlaps in rows for name in overlaps) if n != RELEVANT]
    cells: list[list[str | float | None]] = []
    for topic, overlaps in rows:
        all_of = overlaps[RELEVANT]
        shares = [overlaps[name].share if name in overlaps else None for name in names]
        cells.append([topic, all_of.union, all_of.common, all_of.share, *shares])
    columns = [Column("∪", 0), Column("∩", 0), Column("∩/∪", 2), *(Column(name, 2) for name in names)]
    return Sheet.of(title, ["topic", *columns], [*cells, ["mean", *_means([row[1:] for row in cells])]])


def _means(rows: Iterable[Sequence[str | float | None]]) -> list[float | None]:
    """Return the mean of each column over the topics that have a value."""
    known = [[v for v in column if isinstance(v, int | float)] for column in zip(*rows, strict=True)]
    return [math.fsum(column) / len(column) if column else None for column in known]


def _overlap(overlap: Overlap) -> dict[str, Any]:
    return {"union": overlap.union, "common": overlap.common, "share": rounded(overlap.share)}
