"""What a reader who goes down a ranking has seen before of each result in one document."""

from collections.abc import Sequence

import numpy as np

from eval.geometry import IntArray
from eval.intervals import Highlights, Seen
from eval.paths import ancestors


def seen_by_paths(paths: Sequence[str], rsizes: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return for each element of one document, in rank order, what was seen of it before: each character once, and
    summed over all earlier descendants.

    Each character once: everything if it or an ancestor was returned; else the sum of rsize over the topmost returned
    descendants, at most its own rsize. Costs the depth of each path.
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


def seen_by_offsets(starts: IntArray, ends: IntArray, text: Highlights) -> IntArray:
    """Return for each interval of one document, in rank order, its highlighted characters that were seen before."""
    reader = Seen()
    fresh = [
        (row, *part)
        for row, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True))
        for part in reader.add(start, end)
    ]
    rows, begins, finishes = np.array(fresh, dtype=np.int64).reshape(-1, 3).T
    new = np.bincount(rows, weights=text.within(begins, finishes), minlength=len(starts)).astype(np.int64)
    seen: IntArray = text.within(starts, ends) - new
    return seen
