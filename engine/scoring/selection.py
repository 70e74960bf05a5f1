"""From scores to a list: the order of answers, and which of them stay.

List filtering on scores chooses sizes: an element stays if it scores higher than all above and below it, so the list is
the set without overlap in which every answer is the best of what it overlaps with. A budget takes the answers in this
order that still fit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.errors import QueryError
from engine.overlap import without_overlap

Rows = NDArray[np.int64]
FloatArray = NDArray[np.float64]


def in_order(scores: FloatArray, article: Rows, begins: Rows, *, by_article: bool) -> Rows:
    """Return the places of the answers, best first; ties go to the better article, then stay in document order.

    Args:
        article: rank of each answer's article; begins: what orders answers in their document.
    """
    if by_article:
        return np.lexsort((begins, -scores, article))
    order = np.argsort(-scores)
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = scores[order[1:]] != scores[order[:-1]]
    run = np.cumsum(is_new)
    tied = np.flatnonzero(~is_new | ~np.append(is_new[1:], True))  # the only ones whose order is still open
    places = order[tied]
    order[tied] = places[np.lexsort((places, begins[places], article[places], run[tied]))]
    return order


def first_of_articles(article: Rows, n_first: int) -> Rows:
    """Return the places of the first answers of each article, in order."""
    by_article = np.argsort(article, kind="stable")
    ordered = article[by_article]
    place = np.arange(len(article)) - np.searchsorted(ordered, ordered)
    return np.sort(by_article[place < n_first])


def elements_without_overlap(rows: Rows, ends: Rows, n_wanted: int) -> Rows:
    """Return the places of the first elements that neither lie in nor hold one that stands before them."""
    n_looked_at = 4 * n_wanted
    while True:
        kept = without_overlap(rows[:n_looked_at], ends[:n_looked_at])
        if len(kept) >= n_wanted or n_looked_at >= len(rows):
            return kept[:n_wanted]
        n_looked_at *= 4


def passages_without_overlap(begins: Rows, ends: Rows, n_wanted: int) -> Rows:
    """Return the places of the first intervals of words that share none with one that stands before them."""
    by_begin = np.argsort(begins, kind="stable")
    if np.all(begins[by_begin][1:] >= ends[by_begin][:-1]):
        return np.arange(min(len(begins), n_wanted))
    taken: set[int] = set()
    kept = []
    for place, (begin, end) in enumerate(zip(begins.tolist(), ends.tolist(), strict=True)):
        if taken.isdisjoint(range(begin, end)):
            taken.update(range(begin, end))
            kept.append(place)
            if len(kept) == n_wanted:
                break
    return np.array(kept, np.int64)


def within_budget(words: Rows, budget: int) -> Rows:
    """Return the places of the answers that fit, in order, each if there is still room for it.

    Raises: QueryError where none does.
    """
    left = budget
    kept = []
    for place, size in enumerate(words.tolist()):
        if size <= left:
            kept.append(place)
            left -= size
    if not kept and len(words):
        raise QueryError(
            f"budget = {budget}: the shortest answer has {int(words.min())} words: allow as many, or ask for passages."
        )
    return np.array(kept, np.int64)
