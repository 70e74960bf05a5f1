"""Highlighted characters of each result that earlier results in the same document contain."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eval.arrays import IntArray
from eval.text.intervals import HighlightedIntervals, summed_by_owner, unseen_parts
from eval.text.paths import ancestors


def seen_by_paths(paths: Sequence[str], rsizes: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return how much of each element of one document was returned before, in rank order: counted once, and repeatedly.

    In highlighted characters, for elements in rank order. Counted once: all if the element or an ancestor was
    returned; else the sum of rsize over the topmost returned descendants, at most the rsize of the element. Repeatedly:
    summed over all earlier descendants. Takes time proportional to the depth of each path.
    """
    given: set[str] = set()
    inside: dict[str, int] = {}  # sum of rsize over the topmost returned elements inside
    nested: dict[str, int] = {}  # sum of rsize over all returned elements inside
    seen, repeated = [], []
    for path, rsize in zip(paths, rsizes, strict=True):
        above = list(ancestors(path))
        if path in given or not given.isdisjoint(above):
            seen.append(rsize)
            repeated.append(rsize)
        else:
            before = inside.get(path, 0)
            seen.append(min(rsize, before))
            repeated.append(nested.get(path, 0))
            for ancestor in above:
                inside[ancestor] = inside.get(ancestor, 0) + rsize - before
            given.add(path)
        for ancestor in above:
            nested[ancestor] = nested.get(ancestor, 0) + rsize
    return seen, repeated


def seen_by_offsets(starts: IntArray, ends: IntArray, text: HighlightedIntervals) -> IntArray:
    """Return for each interval of one document, in rank order, how many of its highlighted characters were seen."""
    if len(starts) == 1:  # most documents have one result, which nothing precedes
        return np.zeros(1, dtype=np.int64)
    owners, begins, finishes = unseen_parts([0] * len(starts), starts, ends)
    seen: IntArray = text.count_within(starts, ends) - summed_by_owner(
        owners, text.count_within(begins, finishes), len(starts)
    )
    return seen
