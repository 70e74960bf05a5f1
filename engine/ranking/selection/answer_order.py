"""The order of scored answers: by score, or by article; ties are in the order of the articles, then of the document."""

from __future__ import annotations

import numpy as np

from engine.arrays import FloatArray, Rows, nth_highest, places_of


def in_order(scores: FloatArray, article: Rows, begins: Rows, n_first: int) -> Rows:
    """Return the places of the first answers, best first; ties go to the better article, then stay in document order.

    Args:
        article: rank of each answer's article; begins: what orders answers in their document.
    """
    chosen = np.arange(len(scores))
    if len(scores) > n_first:
        chosen = places_of(scores >= nth_highest(scores, n_first))
    order = chosen[np.argsort(-scores[chosen])]
    ordered = scores[order]
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = ordered[1:] != ordered[:-1]
    if is_new.all():
        return order[:n_first]
    run = np.cumsum(is_new)
    tied = places_of(~is_new | ~np.append(is_new[1:], True))  # the only ones whose order is still open
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
    is_first = np.ones(len(article), np.bool_)
    is_first[n_first:] = ordered[n_first:] != ordered[:-n_first]
    return np.sort(by_article[is_first])
