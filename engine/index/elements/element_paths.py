"""Paths of elements of an open index."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.collection.markup.paths import paths as build_paths
from engine.index.elements.containment import WithAncestors, chains
from engine.index.reader import IndexReader


def element_paths(index: IndexReader, rows: NDArray[np.int64], above: WithAncestors | None = None) -> list[str]:
    """Return the paths of elements; above: their ancestors, where they are known."""
    elements = index.elements
    every, parents = chains(elements, rows) if above is None else above
    found = build_paths(parents.tolist(), elements.tag(every).tolist(), elements.ordinal(every).tolist(), elements.tags)
    return [found[place] for place in every.searchsorted(rows).tolist()]
