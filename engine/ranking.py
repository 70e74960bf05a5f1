"""From a query to ranked articles: the first stop of the straight line."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.index.index import Index
from engine.query import Query
from engine.settings import Settings
from engine.similarity import Collection, TermPostings, scores


class RankedArticles(NamedTuple):
    """Articles, best first: document numbers and scores (0 where nothing ranks them)."""

    documents: NDArray[np.int64]
    scores: NDArray[np.float64]


def rank_articles(index: Index, query: Query, settings: Settings) -> RankedArticles:
    """Return the articles to answer from, best first; ties are in collection order.

    The native approach takes every article that holds a query word, in collection order; so does any approach all
    articles when a path query has no words to rank by. Articles without a required word are left out before the cut.
    """
    terms = term_postings(index, query)
    if query.path and not query.word_counts:
        documents, found = _all_live(index), None
    elif settings.approach == "native":
        documents, found = _holding_any(index, terms), None
    else:
        documents, found = scores(settings.similarity, terms, collection_of(index), settings.parameters)
    for term in query.required:
        for word in term.words:
            holds = np.isin(documents, index.postings(word).documents, assume_unique=True)
            documents, found = documents[holds], None if found is None else found[holds]
    if found is None:
        documents = documents if index.order is None else documents[np.argsort(index.order[documents])]
        return RankedArticles(documents, np.zeros(len(documents)))
    n_best = settings.limit if settings.approach == "fulltext" else settings.articles
    return best(documents, found, n_best, index.order)


def best(
    documents: NDArray[np.int64], found: NDArray[np.float64], n_best: int, order: NDArray[np.int64] | None
) -> RankedArticles:
    """Return the n best-scored documents, best first; ties are in collection order."""
    if len(found) > n_best:
        threshold = np.partition(found, len(found) - n_best)[len(found) - n_best]
        chosen = np.flatnonzero(found >= threshold)
        documents, found = documents[chosen], found[chosen]
    place = documents if order is None else order[documents]
    by_score = np.lexsort((place, -found))[:n_best]
    return RankedArticles(documents[by_score], found[by_score])


def term_postings(index: Index, query: Query) -> list[TermPostings]:
    """Return the postings of the query's words that the collection holds, sorted by word."""
    found = ((word, count, index.postings(word)) for word, count in query.word_counts.items())
    return [TermPostings(word, count, *postings) for word, count, postings in found if len(postings.documents)]


def collection_of(index: Index) -> Collection:
    """Return what similarities need to know of an index."""
    statistics = index.manifest.statistics
    return Collection(
        n_documents=statistics.documents,
        n_tokens=statistics.tokens,
        lengths=index.lengths,
        weights=index.weights,
        mean_weight=statistics.mean_weight,
        live=index.live,
    )


def _all_live(index: Index) -> NDArray[np.int64]:
    return np.arange(index.n_slots) if index.live is None else np.flatnonzero(index.live)


def _holding_any(index: Index, terms: list[TermPostings]) -> NDArray[np.int64]:
    is_found = np.zeros(index.n_slots, np.bool_)
    for postings in terms:
        is_found[postings.documents] = True
    return np.flatnonzero(is_found)
