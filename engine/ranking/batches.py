"""Ranked articles in batches; further batches follow while answers are missing, or can still be surpassed.

The result is the same as of searching all articles at once. If answers are grouped by article in ranking order, the
batches follow the ranking until there are enough answers. If answers are in the order of their scores, the best
articles are searched first, then those whose bound (`engine.ranking.scoring.article_bounds`) reaches the last answer
so far.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.index.reader import IndexReader
from engine.planning.plan import Plan
from engine.ranking.articles import RankedArticles
from engine.records import NamedTuple

# Fewest articles of a batch that follows the ranking.
FEWEST_ARTICLES = 64
# Articles of the first batch by score: at least, answers that one of them is expected to have, and words of an answer.
FIRST_BY_SCORE, ANSWERS_OF_ONE, WORDS_OF_ONE = 6, 4, 50
# By how much the number of articles grows from one batch by score to the next.
GROWTH = 16


class ArticleBatch(NamedTuple):
    """Some ranked articles: document numbers, ascending, and their positions in the ranking, from 0.

    is_whole: whether these are all articles that are searched.
    """

    documents: NDArray[np.int64]
    places: NDArray[np.int64]
    is_whole: bool = True

    @property
    def ranked(self) -> NDArray[np.int64]:
        """The document numbers, best first."""
        return self.documents[np.argsort(self.places)]


def batch_of(ranked: RankedArticles, first: int = 0, size: int | None = None) -> ArticleBatch:
    """Return `size` ranked articles from position `first`, by default all; of several shards, those of this one."""
    chosen = ranked.documents[first : None if size is None else first + size]
    by_number = chosen.argsort()
    documents = chosen.take(by_number)
    if len(documents) and documents[0] < 0:  # documents of other shards
        n_others = int(documents.searchsorted(0))
        by_number, documents = by_number[n_others:], documents[n_others:]
    return ArticleBatch(documents, by_number + first if first else by_number, len(chosen) == len(ranked))


def batch_at(ranked: RankedArticles, places: NDArray[np.int64]) -> ArticleBatch:
    """Return the articles at some positions of the ranking."""
    chosen = ranked.documents.take(places)
    by_number = chosen.argsort()
    return ArticleBatch(chosen.take(by_number), places.take(by_number), len(chosen) == len(ranked))


def first_by_score(plan: Plan) -> int:
    """Return the size of the first batch by score."""
    n_answers, budget = plan.selection.max_answers, plan.selection.word_budget
    if budget is not None:
        n_answers = min(n_answers, budget // WORDS_OF_ONE)
    return max(n_answers // ANSWERS_OF_ONE, FIRST_BY_SCORE)


def first_size(index: IndexReader, plan: Plan, ranked: RankedArticles) -> int:
    """Return the size of the first batch: enough query-term occurrences to fill `max_answers`.

    An article has at most as many matches as query-term occurrences, and about half as many CREs; targets are about
    half as many as the occurrences of the query terms of the target.
    """
    is_target, query = plan.answers.is_target, plan.query
    words = {word for term in query.target_terms if term.sign != "-" for word in term.words} if is_target else {}
    occurrences = np.zeros(len(ranked.documents), np.int64)
    for word in words or query.word_counts:
        documents, tf, *_ = index.postings(word)
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
