"""From the top of documents downwards: what elements take from their parents, level by level."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask, Rows, places_of
from engine.columns.folder_writer import narrow

# The places of elements of one depth, and those of their parents.
Level = tuple[Rows, Rows]


def levels(parents: Rows, is_root: Mask, depths: NDArray[Any]) -> Sequence[Level]:
    """Return the places of elements and of their parents, by depth: each parent before its children.

    Roots pass nothing down.

    Args:
        parents: places; of the element itself where the parent is not here. depths: steps of the path of each element.
    """
    lower = places_of((parents != np.arange(len(parents))) & ~is_root.take(parents))
    depth = narrow(depths.take(lower))
    order = depth.argsort(kind="stable")  # numbers of 16 bits are sorted by radix, without comparing them
    lower, depth = lower.take(order), depth.take(order)
    above = parents.take(lower)
    borders = [0, *(places_of(depth[1:] != depth[:-1]) + 1).tolist(), len(lower)]
    return [(lower[begin:end], above[begin:end]) for begin, end in itertools.pairwise(borders) if end]
