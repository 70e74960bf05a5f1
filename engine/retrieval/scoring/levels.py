"""From the top of documents downwards: what elements take from their parents, level by level."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]


def levels(parents: Rows, is_root: NDArray[np.bool_]) -> Iterator[tuple[Rows, Rows]]:
    """Yield places of elements and of their parents, each parent before its children; roots pass nothing down.

    Args:
        parents: places; of the element itself where the parent is not here.
    """
    lower = np.flatnonzero((parents != np.arange(len(parents))) & ~is_root.take(parents))
    is_done = np.ones(len(parents), np.bool_)
    is_done[lower] = False
    while lower.size:
        above = parents.take(lower)
        is_next = is_done.take(above)
        level = lower.compress(is_next)
        yield level, above.compress(is_next)
        lower = lower.compress(~is_next)
        is_done[level] = True
