"""Agreement between two assessors of the same topics.

Source: Pehcevski, thesis, 4.2.3, tables 4.8 and 4.9. Agreement is the number of units that both judge relevant divided
by the number that either does; for a grade, the same with units of that grade. A document has the grade of its root
element. For mutually agreed elements (relevant for both), the share of the first assessor's grades that the second
confirms is reported as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from engine.errors import AssessmentError
from engine.notices import Message, Notice
from eval.judgements.formats.read import read_assessments
from eval.judgements.judged_elements import with_elements
from eval.judgements.judgements import Assessments, Judgements
from eval.judgements.quantisation import dimensions
from eval.judgements.relevance_scale import grades, specificity_grades
from eval.numbers import BoolArray, mean, ratio
from eval.output.tables import Column, PrintableResult, PrintedTable, rounded
from eval.text.element_locator import ElementLocator
from eval.text.highlighted_text import document_highlights
from eval.text.offsets import with_passage_offsets
from eval.text.paths import root

RELEVANT = "relevant"


@dataclass(frozen=True)
class SetOverlap:
    """Sizes of the union and the intersection of two sets of units."""

    union: int
    common: int

    @property
    def share(self) -> float | None:
        """Intersection / union, None if both sets are empty."""
        return ratio(self.common, self.union)


@dataclass(frozen=True)
class GradeConfirmation:
    """Mutually agreed elements that the first assessor gives a grade, and those that the second gives the same one."""

    first: int
    both: int

    @property
    def share(self) -> float | None:
        """Share of confirmed grades, None if the first assessor gives the grade to no element."""
        return ratio(self.both, self.first)


@dataclass(frozen=True)
class TopicAgreement:
    """The agreement on one topic: on relevance and on each grade.

    ``elements`` and ``mutual`` are empty if no elements are known; ``characters`` (of highlighted text) is None without
    offsets.
    """

    topic: str
    documents: Mapping[str, SetOverlap]
    elements: Mapping[str, SetOverlap]
    mutual: Mapping[str, GradeConfirmation]
    characters: SetOverlap | None


@dataclass(frozen=True, repr=False)
class AssessorAgreement(PrintableResult):
    """The agreement on all topics judged by both."""

    first: str
    second: str
    topics: tuple[TopicAgreement, ...]
    notices: tuple[Message, ...] = ()

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

    def tables(self) -> tuple[PrintedTable, ...]:
        """Return a table for each level, as table 4.8, and one of mutually agreed elements, as table 4.9."""
        documents = _level("Agreement on documents", [(t.topic, t.documents) for t in self.topics])
        elements = _level("Agreement on elements", [(t.topic, t.elements) for t in self.topics if t.elements])
        characters = _level(
            "Agreement on highlighted characters",
            [(t.topic, {RELEVANT: t.characters}) for t in self.topics if t.characters is not None],
        )
        return tuple(s for s in (documents, elements, self._mutual(), characters) if s is not None)

    def _mutual(self) -> PrintedTable | None:
        rows = [(topic.topic, topic.mutual) for topic in self.topics if topic.mutual]
        if not rows:
            return None
        names = list(dict.fromkeys(name for _, mutual in rows for name in mutual))
        values = {
            topic: [value for name in names for value in (mutual[name].first, mutual[name].share)]
            for topic, mutual in rows
        }
        columns = [column for name in names for column in (Column(name, 0), Column(f"{name} confirmed", 2))]
        title = "Mutually agreed elements: grade of the first assessor, and share confirmed by the second"
        return _by_topic(title, columns, values)


def _level(title: str, rows: Sequence[tuple[str, Mapping[str, SetOverlap]]]) -> PrintedTable | None:
    if not rows:
        return None
    names = [n for n in dict.fromkeys(name for _, overlaps in rows for name in overlaps) if n != RELEVANT]
    values: dict[str, list[float | None]] = {}
    for topic, overlaps in rows:
        all_of = overlaps[RELEVANT]
        shares = [overlaps[name].share if name in overlaps else None for name in names]
        values[topic] = [all_of.union, all_of.common, all_of.share, *shares]
    columns = [Column("∪", 0), Column("∩", 0), Column("∩/∪", 2), *(Column(name, 2) for name in names)]
    return _by_topic(title, columns, values)


def _by_topic(title: str, columns: Sequence[Column], values: Mapping[str, Sequence[float | None]]) -> PrintedTable:
    """Return a table with a row for each topic, and the means of the columns over the topics with a value."""
    means = [mean(column) for column in zip(*values.values(), strict=True)]
    rows = [[topic, *row] for topic, row in (*values.items(), ("mean", means))]
    return PrintedTable.of(title, ["topic", *columns], rows)


def _overlap(overlap: SetOverlap) -> dict[str, Any]:
    return {"union": overlap.union, "common": overlap.common, "share": rounded(overlap.share)}


# A document, and the path of an element or "" for the whole document.
JudgedUnit: TypeAlias = tuple[str, str]


def agreement(
    first: Assessments | str | Path, second: Assessments | str | Path, *, locator: ElementLocator | None = None
) -> AssessorAgreement:
    """Return the agreement of two sets of judgements on their common topics.

    Elements of passages, and offsets of pointers, need a locator; without one these levels are omitted with a notice.
    Grades are omitted if the two are on different scales.

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
        notices.append(Notice("topics_judged_once", {"first": single[0], "second": single[1]}, "exclusion"))
    if dimensions(a.scale) != dimensions(b.scale):
        fields = {"first": a.source, "scale": a.scale, "second": b.source, "other_scale": b.scale}
        notices.append(Notice("grades_not_compared", fields))
    found = tuple(topic_agreement(a.topics[topic], b.topics[topic], locator) for topic in topics)
    if not all(topic.elements for topic in found):
        notices.append(Notice("no_agreement_on_elements"))
    return AssessorAgreement(a.source, b.source, found, tuple(notices))


def topic_agreement(first: Judgements, second: Judgements, locator: ElementLocator | None = None) -> TopicAgreement:
    """Return the agreement on one topic."""
    both = [judgements if locator is None else with_elements(judgements, locator) for judgements in (first, second)]
    dimension = _comparable(first, second)
    characters = _characters(first, second, locator)
    a_elements, b_elements = (_elements(j, dimension) for j in both)
    a_documents, b_documents = (_documents(j, e) for j, e in zip(both, (a_elements, b_elements), strict=True))
    documents = _overlaps(a_documents, b_documents)
    if not all(len(judgements.elements) or not len(judgements.passages) for judgements in both):
        return TopicAgreement(first.topic, {RELEVANT: documents[RELEVANT]}, {}, {}, characters)
    agreed = a_elements[RELEVANT] & b_elements[RELEVANT]
    mutual = {
        name: GradeConfirmation(len(units & agreed), len(units & agreed & b_elements.get(name, set())))
        for name, units in a_elements.items()
        if name != RELEVANT
    }
    return TopicAgreement(first.topic, documents, _overlaps(a_elements, b_elements), mutual, characters)


def _comparable(first: Judgements, second: Judgements) -> Callable[[Judgements], Mapping[str, BoolArray]]:
    """Return the function that computes comparable grades: none on different scales, no exhaustivity without judged
    elements."""
    if dimensions(first.scale) != dimensions(second.scale):
        return lambda _: {}
    if all(len(judgements.elements) for judgements in (first, second)):
        return grades
    return specificity_grades


def _elements(
    judgements: Judgements, dimension: Callable[[Judgements], Mapping[str, BoolArray]]
) -> Mapping[str, set[JudgedUnit]]:
    """Return the sets of relevant elements, of all grades and of each."""
    documents, rows = judgements.documents, judgements.elements.document_rows.tolist()
    units = [(documents[row], path) for row, path in zip(rows, judgements.elements.paths, strict=True)]
    masks = {RELEVANT: judgements.elements.relevant, **dimension(judgements)}
    return {name: {units[i] for i in np.flatnonzero(mask).tolist()} for name, mask in masks.items()}


def _documents(judgements: Judgements, elements: Mapping[str, set[JudgedUnit]]) -> Mapping[str, set[JudgedUnit]]:
    """Return the sets of relevant documents, of all grades and, by the grade of the root element, of each."""
    passages = judgements.passages
    marked = set(passages.document_rows[passages.lengths != 0].tolist())
    marked |= set(np.flatnonzero(judgements.highlighted > 0).tolist())
    relevant = {judgements.documents[row] for row in marked} | {document for document, _ in elements[RELEVANT]}
    roots = {
        name: {(document, "") for document, path in units if path == root(path)} for name, units in elements.items()
    }
    return {**roots, RELEVANT: {(document, "") for document in relevant}}


def _overlaps(a: Mapping[str, set[JudgedUnit]], b: Mapping[str, set[JudgedUnit]]) -> Mapping[str, SetOverlap]:
    nothing: set[JudgedUnit] = set()
    names = dict.fromkeys([*a, *b])
    return {
        n: SetOverlap(len(a.get(n, nothing) | b.get(n, nothing)), len(a.get(n, nothing) & b.get(n, nothing)))
        for n in names
    }


def _characters(first: Judgements, second: Judgements, locator: ElementLocator | None) -> SetOverlap | None:
    """Return the agreement on highlighted characters, None if there are none or they are not known.

    They are not known if a passage has no offsets, or if there are relevant elements without passages.
    """
    if not len(first.passages) + len(second.passages):
        return None
    if any(not len(j.passages) and j.elements.relevant.any() for j in (first, second)):
        return None
    if locator is None:
        with_result_offsets = [
            (j.passages.starts >= 0).all() and (j.passages.lengths >= 0).all() for j in (first, second)
        ]
        if not all(with_result_offsets):
            return None
    else:
        first, second = with_passage_offsets(first, locator), with_passage_offsets(second, locator)
    common = total = 0
    for row in range(len(first.documents)):
        mine = document_highlights(first, row)
        total += mine.total
        other = second.row_of_document.get(first.documents[row])
        if other is not None:
            theirs = document_highlights(second, other)
            common += int(mine.count_within(theirs.starts, theirs.ends).sum())
    total += sum(document_highlights(second, row).total for row in range(len(second.documents)))
    return SetOverlap(total - common, common)
