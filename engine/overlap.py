"""Removing overlap from a ranked list: an element goes when it lies in, or holds, one that stands before it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]


def without_overlap(rows: Rows, ends: Rows) -> Rows:
    """Return the places of the elements that stay, in order.

    Source: list filtering, thesis 3.3.1.

    Args:
        rows, ends: first row and one past the last row of each element's subtree, in the order of the list.
    """
    by_row = np.argsort(rows, kind="stable")
    return np.sort(by_row[stays_apart(rows[by_row], ends[by_row], by_row)])


def stays_apart(rows: Rows, ends: Rows, rank: NDArray[Any]) -> NDArray[np.bool_]:
    """Return, an element, whether list filtering keeps it.

    What comes first in a subtree is kept, unless what holds the subtree was kept before. If that is not the top of the
    subtree, the top goes, and the subtrees below it have nothing to do with one another. So those are kept that come
    before all they hold, and of them the topmost.

    Args:
        rows, ends: the subtrees, ascending by row.
        rank: what orders them, the least first; of equals, the one that holds the other.
    """
    behind = np.searchsorted(rows, ends)
    subtrees = np.stack([np.arange(len(rows)), behind], axis=1).ravel()
    least = np.minimum.reduceat(np.append(rank, rank[-1:]), subtrees)[::2] if len(rows) else rank
    leads: NDArray[np.bool_] = rank == least
    reach = np.maximum.accumulate(np.where(leads, ends, 0))
    leads[1:] &= reach[:-1] <= rows[1:]
    return leads
