"""Distribution of relevant elements over kinds: number, size and relevant share, per topic and overall.

Source: Pehcevski, thesis, tables 4.1, 4.7, 4.15 and 5.1. Size and share of a kind are averaged over its elements in a
topic, then summarised over the topics with such elements; numbers of elements over all topics with relevance.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from eval.judgements.judgements import UNKNOWN, Judgements
from eval.judgements.quantisation import dimensions
from eval.numbers import BoolArray, FloatArray, IntArray
from eval.output.tables import Column, PrintedTable, rounded


@dataclass(frozen=True)
class SummaryStatistics:
    """The five statistics, all None without numbers; ``stdev`` of a sample (n - 1), None for fewer than two numbers."""

    n: int
    mean: float | None
    minimum: float | None
    maximum: float | None
    median: float | None
    stdev: float | None

    def to_dict(self) -> dict[str, float | None]:
        """Return the numbers by name."""
        return {name: rounded(value) for name, value in asdict(self).items()}

    def rows(self) -> tuple[tuple[str, float | None], ...]:
        """Return the statistics under their names in the thesis."""
        return (
            ("Mean", self.mean),
            ("Minimum", self.minimum),
            ("Maximum", self.maximum),
            ("Median", self.median),
            ("StDev", self.stdev),
        )


def summary(values: Iterable[float]) -> SummaryStatistics:
    """Return the summary statistics of numbers.

    >>> summary([1, 2, 6]).mean, summary([1, 2, 6]).median, summary([]).mean
    (3.0, 2.0, None)
    """
    known = [float(value) for value in values]
    if not known:
        return SummaryStatistics(0, None, None, None, None, None)
    mean = math.fsum(known) / len(known)
    stdev = math.sqrt(math.fsum((v - mean) ** 2 for v in known) / (len(known) - 1)) if len(known) > 1 else None
    return SummaryStatistics(len(known), mean, min(known), max(known), statistics.median(known), stdev)


Layout: TypeAlias = Literal["statistics", "totals"]
ElementKinds: TypeAlias = Mapping[str, BoolArray]


@dataclass(frozen=True)
class ElementGroup:
    """One kind of relevant elements.

    ``portion`` is its share of all relevant elements, None if kinds do not partition them. ``sizes`` (characters) and
    ``shares`` (relevant share of an element) are empty for graded judgements.
    """

    name: str
    total: int
    portion: float | None
    counts: SummaryStatistics
    sizes: SummaryStatistics
    shares: SummaryStatistics


@dataclass(frozen=True)
class Distribution:
    """The distribution over all kinds, for the topics with relevant elements."""

    title: str
    n_topics: int
    groups: tuple[ElementGroup, ...]
    layout: Layout = "statistics"

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"title", "topics", "groups": [{"name", "total", "portion", "count", "size", "share"}]}``."""
        return {
            "title": self.title,
            "topics": self.n_topics,
            "groups": [
                {
                    "name": group.name,
                    "total": group.total,
                    "portion": rounded(group.portion),
                    "count": group.counts.to_dict(),
                    "size": group.sizes.to_dict(),
                    "share": group.shares.to_dict(),
                }
                for group in self.groups
            ],
        }

    def table(self) -> PrintedTable:
        """Return five rows per kind as in table 4.15, or one row per kind as in table 4.1."""
        note = f"{self.n_topics} topics with relevant elements"
        if self.layout == "totals":
            columns = [Column("total", 0), Column("%", 1), Column("a topic", 1), Column("size", 1), Column("share", 2)]
            rows = [
                [
                    g.name,
                    g.total,
                    None if g.portion is None else 100 * g.portion,
                    g.counts.mean,
                    g.sizes.mean,
                    g.shares.mean,
                ]
                for g in self.groups
            ]
            return PrintedTable.of(self.title, ["kind", *columns], rows, notes=[note])
        return PrintedTable.of(
            self.title,
            ["kind", "value", Column("elements", 1), Column("av. size", 1), Column("av. share", 2)],
            [
                [group.name if not number else "", name, count, size, share]
                for group in self.groups
                for number, ((name, count), (_, size), (_, share)) in enumerate(
                    zip(group.counts.rows(), group.sizes.rows(), group.shares.rows(), strict=True)
                )
            ],
            notes=[note],
            n_heads=2,
        )


@dataclass(frozen=True, eq=False)
class TopicItems:
    """Items of one topic: their sizes (-1 if not known), shares (NaN if not known), and a mask for each kind."""

    sizes: IntArray
    shares: FloatArray
    kinds: ElementKinds


def element_items(judgements: Judgements, kinds: ElementKinds) -> TopicItems:
    """Return the judged elements of a topic by kind."""
    elements = judgements.elements
    if dimensions(judgements.scale) == "graded":
        return TopicItems(np.full(len(elements), UNKNOWN), np.full(len(elements), np.nan), kinds)
    return TopicItems(elements.sizes, np.minimum(elements.specificity, 1.0), kinds)


def distribution(
    title: str,
    topics: Sequence[Judgements],
    kinds_of: Callable[[Judgements], ElementKinds],
    *,
    layout: Layout = "statistics",
    parts: bool = True,
) -> Distribution:
    """Return the distribution of the relevant elements of topics over kinds, in order of first occurrence.

    Args:
        parts: the kinds partition the relevant elements, so that each has a share of them."""
    relevant = [judgements for judgements in topics if judgements.elements.relevant.any()]
    return of_items(title, [element_items(j, kinds_of(j)) for j in relevant], layout=layout, parts=parts)


def of_items(
    title: str, topics: Sequence[TopicItems], *, layout: Layout = "statistics", parts: bool = True
) -> Distribution:
    """Return the distribution of items by topic."""
    names = dict.fromkeys(name for items in topics for name in items.kinds)
    groups = [_group(name, topics) for name in names]
    whole = sum(group.total for group in groups)
    if parts and whole:
        groups = [ElementGroup(g.name, g.total, g.total / whole, g.counts, g.sizes, g.shares) for g in groups]
    if layout == "totals":
        groups.sort(key=lambda group: (-group.total, group.name))
    return Distribution(title, len(topics), tuple(groups), layout)


def _group(name: str, topics: Sequence[TopicItems]) -> ElementGroup:
    counts, sizes, shares = [], [], []
    for items in topics:
        mask = items.kinds.get(name)
        counts.append(0 if mask is None else int(mask.sum()))
        if mask is None or not mask.any():
            continue
        if (items.sizes[mask] != UNKNOWN).all():
            sizes.append(float(items.sizes[mask].mean()))
        if not np.isnan(items.shares[mask]).any():
            shares.append(float(items.shares[mask].mean()))
    return ElementGroup(name, sum(counts), None, summary(counts), summary(sizes), summary(shares))
