"""List filtering: an element or passage is removed from a ranked list if it overlaps with a better one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import FloatArray, Mask, Rows, nth_highest, places_of
from engine.kernels.table import compiled, native

# Candidates that are filtered at first for one answer without overlap, and by how much they become more.
FILTERED_FOR_ONE = 4


def blockers(rows: Rows, ends: Rows, rank: NDArray[Any], is_kept: Mask) -> Rows:
    """Return for each element that list filtering removes the index of the remaining one that is inside or around it.

    It is around it, or else the best one inside it.

    Args:
        rows, ends, rank: as for `non_overlapping`. is_kept: what that returns.
    """
    kept, removed = places_of(is_kept), places_of(~is_kept)
    first, behind = np.searchsorted(kept, removed), np.searchsorted(rows[kept], ends[removed])
    before = kept[np.maximum(first - 1, 0)] if len(kept) else kept
    best_first = np.argsort(rank[kept], kind="stable")
    number = np.empty(len(kept) + 1, np.int64)
    number[best_first], number[-1] = np.arange(len(kept)), len(kept)
    least = np.minimum.reduceat(number, np.stack([first, behind], axis=1).ravel())[::2] if len(removed) else first
    is_below = (first > 0) & (ends[before] > rows[removed])
    inside = kept[best_first[np.minimum(least, len(kept) - 1)]]
    found: Rows = np.where(is_below, before, inside)
    return found


def non_overlapping(rows: Rows, ends: Rows, rank: NDArray[Any]) -> Mask:
    """Return for each element whether it remains after list filtering.

    The best element of a subtree remains unless a remaining element contains the subtree. If it is not the root of the
    subtree, the root is removed, and the subtrees below are independent of one another. So the elements that are
    better than all elements inside them are candidates, and the topmost candidates remain.

    Source: list filtering, thesis 3.3.1.

    Args:
        rows, ends: the subtrees, ascending by row.
        rank: sort key, ascending; of equals, the outer element comes first.
    """
    behind = np.searchsorted(rows, ends)
    subtrees = np.stack([np.arange(len(rows)), behind], axis=1).ravel()
    least = np.minimum.reduceat(np.append(rank, rank[-1:]), subtrees)[::2] if len(rows) else rank
    is_best: Mask = rank == least
    reach = np.maximum.accumulate(np.where(is_best, ends, 0))
    is_best[1:] &= reach[:-1] <= rows[1:]
    return is_best


def best_without_overlap(begins: Rows, ends: Rows, scores: FloatArray, n_best: int) -> Rows:
    """Return the places of candidates, ascending by row, that remain after list filtering; at least the n best of them.

    What removes a candidate scores no less: so the best candidates are filtered without the others.
    """
    n_filtered = FILTERED_FOR_ONE * n_best
    while n_filtered < len(scores):
        places = places_of(scores >= nth_highest(scores, n_filtered))
        kept = places.compress(non_overlapping(begins.take(places), ends.take(places), -scores.take(places)))
        if len(kept) >= n_best:
            return kept
        n_filtered *= FILTERED_FOR_ONE
    return places_of(non_overlapping(begins, ends, -scores))


def follow_one_another(begins: Rows, ends: Rows) -> bool:
    """Return whether each interval begins after the end of the one before it, so that none share a word."""
    return bool(np.all(ends[:-1] <= begins[1:]))


def _passages_without_overlap_in_numpy(
    begins: Rows, ends: Rows, articles: Rows, n_wanted: int, max_per_article: int | None = None
) -> Rows:
    taken: defaultdict[int, DisjointIntervals] = defaultdict(DisjointIntervals)
    found: list[int] = []
    intervals = zip(begins.tolist(), ends.tolist(), articles.tolist(), strict=True)
    for place, (begin, end, article) in enumerate(intervals):
        of_article = taken[article]
        if len(of_article) == max_per_article:
            continue
        if of_article.add(place, begin, end):
            found.append(place)
            if len(found) == n_wanted:
                break
    return np.array(found, np.int64)


@compiled(_passages_without_overlap_in_numpy)
def passages_without_overlap(
    begins: Rows, ends: Rows, articles: Rows, n_wanted: int, max_per_article: int | None = None
) -> Rows:
    """Return the places of the first intervals of words that share none with one before them.

    Args:
        articles: of the intervals, numbers from 0; intervals of different articles share no word.
        n_wanted, max_per_article: the most intervals, of all and of an article.
    """
    n_articles, most = int(articles.max(initial=-1)) + 1, -1 if max_per_article is None else max_per_article
    return np.frombuffer(native.first_disjoint(begins, ends, articles, n_articles, n_wanted, most), np.int64)


def first_overlapped(begins: Rows, ends: Rows, taken: Rows) -> Rows:
    """Return for each interval that is not taken the place of the first one taken that it shares a word with.

    Args:
        taken: places of intervals, ascending, none of which share a word; each of the others shares one with them.
    """
    by_begin = taken[np.argsort(begins[taken])]
    others = np.delete(np.arange(len(begins)), taken)
    first = ends[by_begin].searchsorted(begins[others], side="right")
    behind = begins[by_begin].searchsorted(ends[others])
    shared = np.stack([first, behind], axis=1).ravel()
    return np.minimum.reduceat(np.append(by_begin, len(begins)), shared)[::2] if len(others) else others


class DisjointIntervals:
    """Intervals of increasing places, none of which share anything, ascending by begin."""

    def __init__(self) -> None:
        self.places: list[int] = []
        self._begins: list[int] = []
        self._ends: list[int] = []

    def __len__(self) -> int:
        return len(self.places)

    def add(self, place: int, begin: int, end: int) -> bool:
        """Add an interval if it shares nothing with the others; return whether it does not."""
        if not self.are_apart_from(begin, end):
            return False
        at = bisect_right(self._begins, begin)
        self.places.insert(at, place)
        self._begins.insert(at, begin)
        self._ends.insert(at, end)
        return True

    def are_apart_from(self, begin: int, end: int) -> bool:
        """Return whether an interval shares nothing with the others."""
        at = bisect_right(self._begins, begin)
        return not (at and self._ends[at - 1] > begin) and not (at < len(self) and self._begins[at] < end)

    def first_overlapping(self, begin: int, end: int) -> int:
        """Return the lowest place of an interval that overlaps the given one, or -1."""
        first = bisect_right(self._ends, begin)
        return min(self.places[first : bisect_left(self._begins, end, lo=first)], default=-1)
