"""Paths of elements of an open index."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.arrays import distinct
from engine.collection.paths import paths as build_paths
from engine.index.containment import ancestors_or_self
from engine.index.reader import IndexReader


def element_paths(index: IndexReader, rows: NDArray[np.int64]) -> list[str]:
    """Return the paths of some elements."""
    elements = index.elements
    every = ancestors_or_self(elements, distinct(rows))
    parents = every.searchsorted(elements.parent(every)).tolist()
    found = build_paths(parents, elements.tag(every).tolist(), elements.ordinal(every).tolist(), elements.tags)
    return [found[place] for place in every.searchsorted(rows).tolist()]
