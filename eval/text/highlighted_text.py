"""The highlighted text of a topic: as half-open character intervals, and its number of characters by document.

Intervals: union, intersection by prefix sums, and the parts not seen before.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Self

import numpy as np

from eval.judgements.judgements import Judgements
from eval.numbers import BoolArray, IntArray
from eval.text.paths import topmost


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


# Distance between documents whose offsets are put on one scale: more characters than any document has.
DOCUMENT_STRIDE = 2**40


def highlighted_characters(judgements: Judgements) -> IntArray:
    """Return the number of highlighted characters of every judged document, int64, shape (n_documents,).

    The sizes of its passages (their union, where offsets are known); without passages the rsize of its root; if that
    is not judged, of its topmost judged elements; else what the file says of the document.
    """
    counts: IntArray = np.maximum(judgements.highlighted, 0)
    measured = _measured_by_passages(judgements)
    counts[measured] = _passage_characters(judgements)[measured]
    for row in np.flatnonzero(~measured & (np.diff(judgements.element_bounds) > 0)).tolist():
        counts[row] = max(_top_characters(judgements, row), 0)
    return counts


def _measured_by_passages(judgements: Judgements) -> BoolArray:
    """Return the mask of documents with passages, all of known length."""
    rows, n = judgements.passages.document_rows, len(judgements.documents)
    known = np.bincount(rows[judgements.passages.lengths >= 0], minlength=n)
    measured: BoolArray = (known > 0) & (known == np.bincount(rows, minlength=n))
    return measured


def _passage_characters(judgements: Judgements) -> IntArray:
    """Return the length of the passages of every document: of their union, passages without offsets lie apart."""
    passages = judgements.passages
    lengths = np.maximum(passages.lengths, 0)
    placed_rows = passages.starts >= 0
    starts = passages.starts[placed_rows] + passages.document_rows[placed_rows] * DOCUMENT_STRIDE
    begins, ends = union(starts, starts + lengths[placed_rows])
    n = len(judgements.documents)
    with_result_offsets = np.bincount(begins // DOCUMENT_STRIDE, weights=ends - begins, minlength=n)
    others = np.bincount(passages.document_rows[~placed_rows], weights=lengths[~placed_rows], minlength=n)
    return with_result_offsets.astype(np.int64) + others.astype(np.int64)


def _top_characters(judgements: Judgements, row: int) -> int:
    """Return the rsize of the root of a document, or of its topmost judged elements if the root is not judged."""
    first, end = judgements.element_bounds[row : row + 2].tolist()
    rsizes, root = judgements.elements.rsizes, judgements.root_row(row)
    if root >= 0:
        return int(rsizes[root])
    return int(sum(rsizes[first + i] for i in topmost(judgements.elements.paths[first:end])))


@dataclass(frozen=True, eq=False)
class HighlightedText:
    """The highlighted text of a topic: all documents laid end to end, DOCUMENT_STRIDE characters apart; and of each."""

    text: HighlightedIntervals
    characters: IntArray

    @property
    def total(self) -> int:
        """Number of highlighted characters in all documents."""
        return int(self.characters.sum())

    @property
    def n_relevant(self) -> int:
        """Number of documents with highlighted text."""
        return int((self.characters > 0).sum())


@lru_cache(maxsize=4)
def highlighted_text(judgements: Judgements) -> HighlightedText:
    """Return the highlighted text of a topic whose passages have offsets."""
    passages = judgements.passages
    starts = passages.starts + passages.document_rows * DOCUMENT_STRIDE
    return HighlightedText(
        HighlightedIntervals.of(starts, starts + passages.lengths), highlighted_characters(judgements)
    )


def document_highlights(judgements: Judgements, row: int) -> HighlightedIntervals:
    """Return the highlighted text of one document, given by its row, of a topic whose passages have offsets."""
    passages = judgements.passages
    first, end = judgements.passage_bounds[row : row + 2].tolist()
    starts = passages.starts[first:end]
    return HighlightedIntervals.of(starts, starts + passages.lengths[first:end])
