"""The agreement of two assessors as a value: printed as tables, or as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.notices import Message
from eval.output.tables import Column, PrintableResult, PrintedTable, rounded
from eval.ratios import mean, ratio

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
