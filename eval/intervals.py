"""Arithmetic of half-open character intervals: union, intersection, and what a reader has already seen."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from eval.geometry import IntArray


def union(starts: IntArray, ends: IntArray) -> tuple[IntArray, IntArray]:
    """Return starts and ends of the union: sorted, disjoint, touching intervals joined, empty ones gone."""
    filled = ends > starts
    order = np.argsort(starts[filled], kind="stable")
    starts, ends = starts[filled][order], ends[filled][order]
    if not len(starts):
        return starts, ends
    reach = np.maximum.accumulate(ends)
    begins = np.concatenate(([True], starts[1:] > reach[:-1]))
    lasts = np.concatenate((np.flatnonzero(begins)[1:] - 1, [len(starts) - 1]))
    return starts[begins], reach[lasts]


@dataclass(frozen=True, eq=False)
class Highlights:
    """The highlighted text of one document: disjoint sorted intervals, and the characters before each of them."""

    starts: IntArray
    ends: IntArray
    before: IntArray

    @classmethod
    def of(cls, starts: IntArray, ends: IntArray) -> Self:
        """Return the highlights that cover the given intervals, in any order, overlapping or not."""
        starts, ends = union(starts, ends)
        return cls(starts, ends, np.concatenate(([0], np.cumsum(ends - starts))).astype(np.int64))

    @property
    def total(self) -> int:
        """All highlighted characters."""
        return int(self.before[-1])

    def up_to(self, offsets: IntArray) -> IntArray:
        """Return the highlighted characters before each offset, shape as given."""
        if not len(self.starts):
            return np.zeros_like(offsets)
        rows = np.searchsorted(self.starts, offsets, side="right") - 1
        inside = np.minimum(offsets, self.ends[rows]) - self.starts[rows]
        counts: IntArray = np.where(rows < 0, 0, self.before[rows] + inside)
        return counts

    def within(self, starts: IntArray, ends: IntArray) -> IntArray:
        """Return the highlighted characters in each interval, shape as given; an empty interval holds none."""
        counts: IntArray = np.maximum(self.up_to(ends) - self.up_to(starts), 0)
        return counts


@dataclass
class Seen:
    """What a reader has seen of one document while going down a ranking: disjoint sorted intervals that grow.

    An interval that is added swallows those it meets, so a whole ranking costs O(n log n).
    """

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def add(self, start: int, end: int) -> list[tuple[int, int]]:
        """Add an interval and return the parts of it that were not seen before, in order."""
        if end <= start:
            return []
        first, last = bisect_left(self.ends, start), bisect_right(self.starts, end)
        fresh, at = [], start
        for i in range(first, last):
            if self.starts[i] > at:
                fresh.append((at, self.starts[i]))
            at = max(at, self.ends[i])
        if at < end:
            fresh.append((at, end))
        if last > first:
            start, end = min(start, self.starts[first]), max(end, self.ends[last - 1])
        self.starts[first:last], self.ends[first:last] = [start], [end]
        return fresh
