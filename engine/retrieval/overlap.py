"""List filtering: an element is removed from a ranked list if it is inside, or contains, a better one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]


def without_overlap(rows: Rows, ends: Rows) -> Rows:
    """Return the indices of the remaining elements, in order.

    Source: list filtering, thesis 3.3.1.

    Args:
        rows, ends: first row and one past the last row of each element's subtree, in the order of the list.
    """
    by_row = np.argsort(rows, kind="stable")
    return np.sort(by_row[non_overlapping(rows[by_row], ends[by_row], by_row)])


def blockers(rows: Rows, ends: Rows, rank: NDArray[Any], is_kept: NDArray[np.bool_]) -> Rows:
    """Return for each element that list filtering removes the index of the remaining one that is inside or around it.

    It is around it, or else the best one inside it.

    Args:
        rows, ends, rank: as for `non_overlapping`. is_kept: what that returns.
    """
    kept = np.flatnonzero(is_kept)
    found = []
    for place in np.flatnonzero(~is_kept).tolist():
        first = int(np.searchsorted(kept, place))
        is_below = first > 0 and ends[kept[first - 1]] > rows[place]
        inside = kept[first : int(np.searchsorted(rows[kept], ends[place]))]
        found.append(int(kept[first - 1] if is_below else inside[np.argmin(rank[inside])]))
    return np.array(found, np.int64)


def non_overlapping(rows: Rows, ends: Rows, rank: NDArray[Any]) -> NDArray[np.bool_]:
    """Return for each element whether it remains after list filtering.

    The best element of a subtree remains unless a remaining element contains the subtree. If it is not the root of the
    subtree, the root is removed, and the subtrees below are independent of one another. So the elements that are
    better than all elements inside them are candidates, and the topmost candidates remain.

    Args:
        rows, ends: the subtrees, ascending by row.
        rank: sort key, ascending; of equals, the outer element comes first.
    """
    behind = np.searchsorted(rows, ends)
    subtrees = np.stack([np.arange(len(rows)), behind], axis=1).ravel()
    least = np.minimum.reduceat(np.append(rank, rank[-1:]), subtrees)[::2] if len(rows) else rank
    is_best: NDArray[np.bool_] = rank == least
    reach = np.maximum.accumulate(np.where(is_best, ends, 0))
    is_best[1:] &= reach[:-1] <= rows[1:]
    return is_best
