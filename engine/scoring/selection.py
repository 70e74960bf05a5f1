"""From scores to a list: the order of answers, and which of them stay.

List filtering on scores chooses sizes: an element stays if it scores higher than all above and below it, so the list is
the set without overlap in which every answer is the best of what it overlaps with. A budget takes what fits, in the
order of the scores: where an element is too large, what it holds may still fit.
"""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
from numpy.typing import NDArray

from engine.errors import QueryError

Rows = NDArray[np.int64]
FloatArray = NDArray[np.float64]


def in_order(scores: FloatArray, article: Rows, begins: Rows, n_first: int) -> Rows:
    """Return the places of the first answers, best first; ties go to the better article, then stay in document order.

    Args:
        article: rank of each answer's article; begins: what orders answers in their document.
    """
    chosen = np.arange(len(scores))
    if len(scores) > n_first:
        chosen = np.flatnonzero(scores >= np.partition(scores, len(scores) - n_first)[len(scores) - n_first])
    order = chosen[np.argsort(-scores[chosen])]
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = scores[order[1:]] != scores[order[:-1]]
    run = np.cumsum(is_new)
    tied = np.flatnonzero(~is_new | ~np.append(is_new[1:], True))  # the only ones whose order is still open
    places = order[tied]
    order[tied] = places[np.lexsort((places, begins[places], article[places], run[tied]))]
    return order[:n_first]


def in_order_of_articles(scores: FloatArray, article: Rows, begins: Rows) -> Rows:
    """Return the places of the answers, those of the best article first, inside each in order."""
    return np.lexsort((begins, -scores, article))


def first_of_articles(article: Rows, n_first: int) -> Rows:
    """Return the places of the first answers of each article, in order."""
    by_article = np.argsort(article, kind="stable")
    ordered = article[by_article]
    place = np.arange(len(article)) - np.searchsorted(ordered, ordered)
    return np.sort(by_article[place < n_first])


def follow_one_another(begins: Rows, ends: Rows) -> bool:
    """Return whether each interval begins behind the one before it, so that none share a word."""
    return bool(np.all(ends[:-1] <= begins[1:]))


def passages_without_overlap(begins: Rows, ends: Rows, n_wanted: int) -> Rows:
    """Return the places of the first intervals of words that share none with one that stands before them."""
    taken: set[int] = set()
    kept = []
    for place, (begin, end) in enumerate(zip(begins.tolist(), ends.tolist(), strict=True)):
        if taken.isdisjoint(range(begin, end)):
            taken.update(range(begin, end))
            kept.append(place)
            if len(kept) == n_wanted:
                break
    return np.array(kept, np.int64)


def within_budget(begins: Rows, ends: Rows, article: Rows, words: Rows, budget: int, per_article: int | None) -> Rows:
    """Return the places of the answers that fit, in order.

    Each is taken if there is room for it, and it overlaps with none that was.

    Args:
        begins, ends: the intervals that tell overlap; per_article: answers that an article may have.
    Raises: QueryError where none fits.
    """
    left, shortest = budget, int(words.min()) if len(words) else 0
    if shortest > budget:
        raise QueryError(
            f"budget = {budget}: the shortest answer has {shortest} words: allow as many, or ask for passages."
        )
    kept: list[int] = []
    of_article: dict[int, int] = {}
    taken_begins: list[int] = []  # of what is kept, ascending; taken_ends beside them
    taken_ends: list[int] = []
    columns = zip(begins.tolist(), ends.tolist(), article.tolist(), words.tolist(), strict=True)
    for place, (begin, end, number, size) in enumerate(columns):
        if left < shortest:
            break
        at = bisect_right(taken_begins, begin)
        is_free = (not at or taken_ends[at - 1] <= begin) and (at == len(kept) or taken_begins[at] >= end)
        if size <= left and is_free and (per_article is None or of_article.get(number, 0) < per_article):
            kept.append(place)
            left -= size
            of_article[number] = of_article.get(number, 0) + 1
            taken_begins.insert(at, begin)
            taken_ends.insert(at, end)
    return np.array(kept, np.int64)
