"""What stands around an element: headings over it, and the elements beside it.

    headings(e)    weight of the distinct query words in the headings of e and of the elements above it
    neighbours(e)  the higher element score of the elements directly before and after e, of the same parent, that have
                   NEIGHBOUR_BLOCKS text blocks or more, as e has

A heading is an element with a tag of the profile's titles; it belongs to its parent. Headings of the root are in the
score of the article. Both are bounded: headings(e) by the weight of the whole query, neighbours(e) by the highest
element score.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from engine.arrays import distinct
from engine.index.element_store import Elements
from engine.retrieval.scoring.levels import levels
from engine.retrieval.scoring.term_weights import TermWeights
from engine.similarity.values import FloatArray, Pairs

Rows = NDArray[np.int64]

# Least length of neighbours, in text blocks: a number of a line or a rule is none.
NEIGHBOUR_BLOCKS = 0.2
BITS = 62  # of a number that are used for marks


def is_heading(elements: Elements, rows: Rows, titles: Collection[str]) -> NDArray[np.bool_]:
    """Return which elements are headings: by their tag, roots excepted."""
    by_tag = np.array([tag in titles for tag in elements.tags], np.bool_)
    if not by_tag.any():
        return np.zeros(len(rows), np.bool_)
    found: NDArray[np.bool_] = by_tag[elements.tag(rows)]
    return found


def heading_scores(
    pairs: Pairs, weights: TermWeights, is_title: NDArray[np.bool_], parents: Rows, is_root: NDArray[np.bool_]
) -> FloatArray:
    """Return for each element the weight of the distinct terms in its headings and in those above it; 0 for a root.

    Args:
        pairs: terms in elements. is_title, parents, is_root: of each element, parents as places.
    """
    n = len(parents)
    in_title = np.flatnonzero(is_title.take(pairs.unit))
    holder, term = parents.take(pairs.unit.take(in_title)), pairs.term.take(in_title)
    below_root = ~is_root.take(holder)
    holder, term = holder.compress(below_root), term.compress(below_root)
    if not len(holder):
        return np.zeros(n)
    marks = np.zeros((n, int(term.max()) // BITS + 1), np.int64)  # a bit for each term
    np.bitwise_or.at(marks, (holder, term // BITS), np.left_shift(1, term % BITS))
    nearest = np.full(n, -1)  # at or above each element, the one with headings
    nearest[holder] = holder
    for level, above in levels(parents, is_root):
        marks[level] |= marks.take(above, axis=0)
        nearest[level] = np.where(nearest.take(level) == level, level, nearest.take(above))
    holders, found = distinct(holder), np.zeros(n)
    for each in distinct(term).tolist():
        having = holders.compress((marks[holders, each // BITS] >> (each % BITS)) & 1)
        found[having] += weights.of_terms[each, 0 if weights.group is None else weights.group.take(having)]
    return np.where(nearest >= 0, found.take(nearest), 0.0)


def heading_terms(
    place: int, pairs: Pairs, is_title: NDArray[np.bool_], parents: Rows, is_root: NDArray[np.bool_]
) -> Rows:
    """Return the terms in the headings of an element and in those above it, ascending."""
    above = [place]
    while not is_root[above[-1]] and (parent := int(parents[above[-1]])) != above[-1]:
        above.append(parent)
    holders = [each for each in above if not is_root[each]]
    in_title = is_title.take(pairs.unit) & np.isin(parents.take(pairs.unit), holders)
    return distinct(pairs.term.compress(in_title))


def best_neighbours(
    scores: FloatArray, rows: Rows, ends: Rows, parents: Rows, can_be: NDArray[np.bool_]
) -> tuple[FloatArray, Rows]:
    """Return for each element the better score of its neighbours, 0 without one, and the place of that one, or -1.

    Args:
        rows, ends: the elements, ascending, and one past the last row of each subtree. parents: places.
        can_be: which elements have neighbours and are some.
    """
    best, place = np.zeros(len(rows)), np.full(len(rows), -1)
    left, right = neighbours_of(rows, ends, parents, can_be)
    best[right], place[right] = scores[left], left
    is_better = scores[right] > best[left]
    best[left[is_better]], place[left[is_better]] = scores[right[is_better]], right[is_better]
    return best, place


def neighbours_of(rows: Rows, ends: Rows, parents: Rows, can_be: NDArray[np.bool_]) -> tuple[Rows, Rows]:
    """Return the places of elements and of those directly after them, shape (n_pairs,); arguments as above."""
    behind = np.arange(1, len(rows) + 1)  # the place of the first element behind each one
    is_inner = np.flatnonzero(rows[1:] < ends[:-1])
    behind[is_inner] = rows.searchsorted(ends.take(is_inner))
    left = np.flatnonzero(can_be & (parents != np.arange(len(rows))) & (behind < len(rows)))
    right = behind.take(left)
    beside = (ends.take(left) == rows.take(right)) & (parents.take(left) == parents.take(right)) & can_be.take(right)
    return left.compress(beside), right.compress(beside)
