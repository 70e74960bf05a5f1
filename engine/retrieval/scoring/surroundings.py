"""The text around an element: the headings above it, and the elements beside it.

    headings(e)    weight of the distinct query words in the headings of e and of the elements above it
    neighbours(e)  the higher element score of the elements directly before and after e, of the same parent, that have
                   NEIGHBOUR_BLOCKS text blocks or more, as e has

A heading is an element with a tag of the profile's titles; it belongs to its parent. Headings of the root are in the
score of the article. Both are bounded: headings(e) by the weight of the whole query, neighbours(e) by the highest
element score.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.arrays import distinct
from engine.index.element_store import Elements
from engine.retrieval.scoring.levels import Level
from engine.retrieval.scoring.term_weights import TermWeights
from engine.similarity.values import FloatArray, Pairs

Rows = NDArray[np.int64]

# Least length of neighbours, in text blocks: a number of a line or a rule is none.
NEIGHBOUR_BLOCKS = 0.2


def is_heading(elements: Elements, rows: Rows, titles: Collection[str], tags: Rows | None = None) -> NDArray[np.bool_]:
    """Return which elements are headings: by their tag, roots excepted.

    Args:
        tags: their tag numbers, where they are known.
    """
    by_tag = elements.is_tag(titles)
    if not by_tag.any():
        return np.zeros(len(rows), np.bool_)
    found: NDArray[np.bool_] = by_tag.take(elements.tag(rows) if tags is None else tags)
    return found


def heading_scores(
    pairs: Pairs,
    weights: TermWeights,
    is_title: NDArray[np.bool_],
    parents: Rows,
    is_root: NDArray[np.bool_],
    levels: Sequence[Level],
) -> FloatArray:
    """Return for each element the weight of the distinct terms in its headings and in those above it; 0 for a root.

    Args:
        pairs: terms in elements. is_title, parents, is_root: of each element, parents as places. levels: of these.
    """
    n = len(parents)
    in_title = np.flatnonzero(is_title.take(pairs.unit))
    holder, term = parents.take(pairs.unit.take(in_title)), pairs.term.take(in_title)
    below_root = ~is_root.take(holder)
    holder, term = holder.compress(below_root), term.compress(below_root)
    if not len(holder):
        return np.zeros(n)
    holders = distinct(holder)
    number = np.full(n, -1)  # at or above each element, the last of the elements with headings, as a place among them
    number[holders] = np.arange(len(holders))
    for level, above in levels:
        number[level] = np.maximum(number.take(level), number.take(above))
    contains = np.zeros((len(weights.of_terms), len(holders)), np.bool_)
    contains[term, number.take(holder)] = True
    _add_those_above(contains, number.take(parents.take(holders)))
    terms, places = contains.nonzero()
    group = 0 if weights.group is None else weights.group.take(holders.take(places))
    found = np.bincount(places, weights.of_terms[terms, group], len(holders) + 1)  # the last one is of none
    return found.take(number).astype(np.float64, copy=False)


def _add_those_above(contains: NDArray[np.bool_], above: Rows) -> None:
    """Add to each element with headings the terms of all those above it: of one, then of the next two, four...

    Args:
        contains: shape (n_terms, n_elements), changed in place. above: the next one above each; itself or -1 for none.
    """
    above = np.where(above == np.arange(len(above)), -1, above)
    while len(lower := np.flatnonzero(above >= 0)):
        contains[:, lower] |= contains[:, above.take(lower)]
        above = np.where(above >= 0, above.take(above), -1)


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
    has_siblings = np.bincount(parents.compress(can_be), minlength=len(rows)) > 1
    left = np.flatnonzero(can_be & (parents != np.arange(len(rows))) & has_siblings.take(parents))
    behind = ends.take(left)
    right = left + 1  # the place of the first element behind each one, if it contains none
    is_inner = np.flatnonzero(rows.take(right, mode="clip") < behind)
    right[is_inner] = rows.searchsorted(behind.take(is_inner))
    beside = (rows.take(right, mode="clip") == behind) & (parents.take(right, mode="clip") == parents.take(left))
    beside &= can_be.take(right, mode="clip")
    return left.compress(beside), right.compress(beside)
