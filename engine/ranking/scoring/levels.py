"""From the top of documents downwards: what elements take from their parents, level by level."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.arrays import Mask, Rows, places_of

# The places of elements of one depth, and those of their parents.
Level = tuple[Rows, Rows]


def levels(parents: Rows, is_root: Mask) -> Sequence[Level]:
    """Return the places of elements and of their parents, by depth: each parent before its children.

    Roots pass nothing down.

    Args:
        parents: places; of the element itself where the parent is not here.
    """
    waiting = places_of((parents != np.arange(len(parents))) & ~is_root.take(parents))
    found: list[Level] = []
    is_waiting = np.zeros(len(parents), np.bool_)
    while waiting.size:
        is_waiting[waiting] = True
        is_next = ~is_waiting.take(parents.take(waiting))
        is_waiting[waiting] = False
        level, waiting = waiting.compress(is_next), waiting.compress(~is_next)
        found.append((level, parents.take(level)))
    return found
