"""How relevant elements are shared out over kinds: their number, size and relevant share, a topic and overall.

Source: Pehcevski, thesis, tables 4.1, 4.7, 4.15 and 5.1. Size and share of a kind are averaged over its elements of a
topic, then summarised over the topics that have such elements; numbers of elements over all topics with relevance.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from eval.assessments import UNKNOWN, Judgements
from eval.geometry import BoolArray, FloatArray, IntArray
from eval.quantisation import dimensions
from eval.relevance_tables.summary import Summary, summary
from eval.sheets import Column, Sheet, rounded

Layout: TypeAlias = Literal["statistics", "totals"]
Kinds: TypeAlias = Mapping[str, BoolArray]


@dataclass(frozen=True)
class Group:
    """One kind of relevant elements.

    ``portion`` is its part of all relevant elements, None for kinds that do not share them out. ``sizes`` (characters)
    and ``shares`` (relevant part of an element) summarise nothing where judgements are graded.
    """

    name: str
    total: int
    portion: float | None
    counts: Summary
    sizes: Summary
    shares: Summary


@dataclass(frozen=True)
class Distribution:
    """All kinds, over the topics that have relevant elements."""

    title: str
    n_topics: int
    groups: tuple[Group, ...]
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

    def sheet(self) -> Sheet:
        """Return five rows a kind as in table 4.15, or one row a kind as in table 4.1."""
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
            return Sheet.of(self.title, ["kind", *columns], rows, notes=[note])
        return Sheet.of(
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
class Items:
    """What is counted in one topic, columns of one length: sizes and shares, -1 and NaN where not known, and kinds."""

    sizes: IntArray
    shares: FloatArray
    kinds: Kinds


def element_items(judgements: Judgements, kinds: Kinds) -> Items:
    """Return the judged elements of a topic by kind."""
    elements = judgements.elements
    if dimensions(judgements.scale) == "graded":
        return Items(np.full(len(elements), UNKNOWN), np.full(len(elements), np.nan), kinds)
    return Items(elements.sizes, np.minimum(elements.specificity, 1.0), kinds)


def distribution(
    title: str,
    topics: Sequence[Judgements],
    kinds_of: Callable[[Judgements], Kinds],
    *,
    layout: Layout = "statistics",
    parts: bool = True,
) -> Distribution:
    """Return how the relevant elements of the topics are shared out over kinds, which stand in the order they first
    occur; ``parts`` tells that every relevant element is of one kind."""
    relevant = [judgements for judgements in topics if judgements.elements.relevant.any()]
    return of_items(title, [element_items(j, kinds_of(j)) for j in relevant], layout=layout, parts=parts)


def of_items(title: str, topics: Sequence[Items], *, layout: Layout = "statistics", parts: bool = True) -> Distribution:
    """Return the distribution of what was counted topic by topic."""
    names = dict.fromkeys(name for items in topics for name in items.kinds)
    groups = [_group(name, topics) for name in names]
    whole = sum(group.total for group in groups)
    if parts and whole:
        groups = [Group(g.name, g.total, g.total / whole, g.counts, g.sizes, g.shares) for g in groups]
    if layout == "totals":
        groups.sort(key=lambda group: (-group.total, group.name))
    return Distribution(title, len(topics), tuple(groups), layout)


def _group(name: str, topics: Sequence[Items]) -> Group:
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
    return Group(name, sum(counts), None, summary(counts), summary(sizes), summary(shares))
