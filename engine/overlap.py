"""Removing overlap from a ranked list: an element goes when it lies in, or holds, one that stands before it."""

from __future__ import annotations

from bisect import bisect_left, insort

import numpy as np
from numpy.typing import NDArray


def without_overlap(rows: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the places of the elements that stay, in order.

    Source: list filtering, thesis 3.3.1. Kept elements are disjoint, so of those only the neighbours in document order
    can overlap with the next.

    Args:
        rows, ends: first row and one past the last row of each element's subtree, in the order of the list.
    """
    kept: list[int] = []
    starts: list[int] = []
    end_of: dict[int, int] = {}
    for place, (row, end) in enumerate(zip(rows.tolist(), ends.tolist(), strict=True)):
        after = bisect_left(starts, row)
        if after < len(starts) and starts[after] < end:
            continue
        if after and end_of[starts[after - 1]] > row:
            continue
        insort(starts, row)
        end_of[row] = end
        kept.append(place)
    return np.array(kept, np.int64)
