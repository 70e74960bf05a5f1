"""Half-open character intervals: union, intersection by prefix sums, and the parts not seen before."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from eval.arrays import IntArray


def union(starts: IntArray, ends: IntArray) -> tuple[IntArray, IntArray]:
    """Return starts and ends of the union: sorted and disjoint, adjacent intervals merged, empty ones dropped."""
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
class HighlightedIntervals:
    """Highlighted text as sorted disjoint intervals, with prefix sums of their lengths."""

    starts: IntArray
    ends: IntArray
    before: IntArray

    @classmethod
    def of(cls, starts: IntArray, ends: IntArray) -> Self:
        """Return the union of intervals, which may overlap and be in any order."""
        starts, ends = union(starts, ends)
        return cls(starts, ends, np.concatenate(([0], np.cumsum(ends - starts))).astype(np.int64))

    @property
    def total(self) -> int:
        """Number of highlighted characters."""
        return int(self.before[-1])

    def up_to(self, offsets: IntArray) -> IntArray:
        """Return the number of highlighted characters before each offset, shape as given."""
        if not len(self.starts):
            return np.zeros_like(offsets)
        rows = np.searchsorted(self.starts, offsets, side="right") - 1
        inside = np.minimum(offsets, self.ends[rows]) - self.starts[rows]
        counts: IntArray = np.where(rows < 0, 0, self.before[rows] + inside)
        return counts

    def count_within(self, starts: IntArray, ends: IntArray) -> IntArray:
        """Return the number of highlighted characters in each interval, shape as given."""
        counts: IntArray = np.maximum(self.up_to(ends) - self.up_to(starts), 0)
        return counts


@dataclass
class SeenIntervals:
    """Text of one document already returned: sorted disjoint intervals, updated along a ranking.

    Adding an interval merges those that it meets, so n intervals take O(n log n).
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


def unseen_parts(groups: Sequence[Hashable], starts: IntArray, ends: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the parts of intervals that no earlier interval of the same group covers.

    Args:
        groups: the document of each interval; shape (n,), as ``starts`` and ``ends``, in rank order.

    Returns: for each part the row of its interval, its start and its end, int64, shape (n_parts,) each.
    """
    seen: defaultdict[Hashable, SeenIntervals] = defaultdict(SeenIntervals)
    parts = [
        (row, *part)
        for row, (group, start, end) in enumerate(zip(groups, starts.tolist(), ends.tolist(), strict=True))
        for part in seen[group].add(start, end)
    ]
    owners, begins, finishes = np.array(parts, dtype=np.int64).reshape(-1, 3).T
    return owners, begins, finishes


def summed_by_owner(owners: IntArray, values: IntArray, n: int) -> IntArray:
    """Return the sum of the values of each owner, int64, shape (n,)."""
    return np.bincount(owners, weights=values, minlength=n).astype(np.int64)
