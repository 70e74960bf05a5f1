"""What stands around an element: headings over it, and the elements beside it.

    headings(e)    weight of the distinct query words in the headings of e + HEADING_SHARE headings(parent of e)
    neighbours(e)  the higher element score of the elements directly before and after e, of the same parent, that
                   have NEIGHBOUR_BLOCKS text blocks or more, as e has

A heading is an element with a tag of the profile's titles; it belongs to its parent. Headings of the root are in the
score of the article. Sums are bounded: headings(e) by the weight of the whole query over 1 - HEADING_SHARE,
neighbours(e) by the highest element score.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from engine.index.element_store import Elements
from engine.similarity.values import FloatArray, Pairs

Rows = NDArray[np.int64]

HEADING_SHARE = 0.8
# Least length of neighbours, in text blocks: a number of a line or a rule is none.
NEIGHBOUR_BLOCKS = 0.2


def is_heading(elements: Elements, rows: Rows, titles: Collection[str]) -> NDArray[np.bool_]:
    """Return which elements are headings: by their tag, roots excepted."""
    by_tag = np.array([tag in titles for tag in elements.tags], np.bool_)
    if not by_tag.any():
        return np.zeros(len(rows), np.bool_)
    found: NDArray[np.bool_] = by_tag[elements.tag(rows)]
    return found


def own_headings(
    pairs: Pairs, weights: FloatArray, is_title: NDArray[np.bool_], parents: Rows, is_root: NDArray[np.bool_]
) -> FloatArray:
    """Return for each element the weight of the distinct terms in its own headings; 0 for a root.

    Args:
        pairs: terms in elements; weights: of each pair. is_title, parents, is_root: of each element, parents as places.
    """
    n = len(parents)
    in_title = np.flatnonzero(is_title.take(pairs.unit))
    holder = parents.take(pairs.unit.take(in_title))
    term = pairs.term.take(in_title)
    first = np.unique(holder * (term.max(initial=0) + 1) + term, return_index=True)[1]
    holder = holder.take(first)
    found = np.bincount(holder, weights.take(in_title.take(first)), n)
    return np.where(is_root, 0.0, found)


def best_neighbours(
    scores: FloatArray, rows: Rows, ends: Rows, parents: Rows, can_be: NDArray[np.bool_]
) -> tuple[FloatArray, Rows]:
    """Return for each element the better score of its neighbours, 0 without one, and the place of that one, or -1.

    Args:
        rows, ends: the elements, ascending, and one past the last row of each subtree. parents: places.
        can_be: which elements have neighbours and are some.
    """
    best, place = np.zeros(len(rows)), np.full(len(rows), -1)
    chosen = np.flatnonzero(can_be & (parents != np.arange(len(rows))))
    order = chosen[np.argsort(parents[chosen], kind="stable")]
    left, right = order[:-1], order[1:]
    beside = (parents[left] == parents[right]) & (ends[left] == rows[right])
    left, right = left[beside], right[beside]
    best[right], place[right] = scores[left], left
    is_better = scores[right] > best[left]
    best[left[is_better]], place[left[is_better]] = scores[right[is_better]], right[is_better]
    return best, place
