"""Ranked articles in batches, best first; further batches follow while answers are missing.

If answers are grouped by article in ranking order, the result is the same as of searching all articles at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.index.reader import IndexReader
from engine.retrieval.articles import RankedArticles
from engine.retrieval.plan import Plan

# Fewest articles of a batch.
FEWEST_ARTICLES = 64


class ArticleBatch(NamedTuple):
    """Consecutive ranked articles: document numbers, ascending, and their positions in the ranking, from 0."""

    documents: NDArray[np.int64]
    places: NDArray[np.int64]

    @property
    def ranked(self) -> NDArray[np.int64]:
        """The document numbers, best first."""
        return self.documents[np.argsort(self.places)]


def batch_of(ranked: RankedArticles, first: int = 0, size: int | None = None) -> ArticleBatch:
    """Return `size` ranked articles from position `first`, by default all."""
    chosen = ranked.documents[first : None if size is None else first + size]
    by_number = chosen.argsort()
    return ArticleBatch(chosen.take(by_number), by_number + first)


def first_size(index: IndexReader, plan: Plan, ranked: RankedArticles) -> int:
    """Return the size of the first batch: enough query-term occurrences to fill `max_answers`.

    An article has at most as many matches as query-term occurrences, and about half as many CREs; targets are about
    half as many as the occurrences of the query terms of the target.
    """
    is_target, query = plan.answers.is_target, plan.query
    words = {word for term in query.target_terms if term.sign != "-" for word in term.words} if is_target else {}
    occurrences = np.zeros(len(ranked.documents), np.int64)
    for word in words or query.word_counts:
        documents, tf = index.postings(word)
        if len(documents):
            place = np.minimum(np.searchsorted(documents, ranked.documents), len(documents) - 1)
            occurrences += np.where(documents[place] == ranked.documents, tf[place], 0)
    reached = np.cumsum(occurrences)
    enough = min((2.5 if is_target else 2) * plan.selection.max_answers, reached[-1]) if len(reached) else 0
    return max(int(np.searchsorted(reached, enough)) + 1, FEWEST_ARTICLES)


def next_size(size: int, n_searched: int, n_found: int, n_missing: int) -> int:
    """Return the size of the next batch: estimated to contain the missing answers, at most 8 times the last size."""
    enough = n_searched * n_missing * 11 // (10 * max(n_found, 1)) + 1
    return min(max(enough, FEWEST_ARTICLES), 8 * size)
