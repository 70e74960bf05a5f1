"""From a query to ranked articles: the first stop of the straight line."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.index.index import Index
from engine.query import Query
from engine.settings import Settings
from engine.similarity import Collection, TermPostings, document_expression, scores
from engine.similarity.scoring import score_documents


class RankedArticles(NamedTuple):
    """Articles, best first: document numbers and scores (0 where nothing ranks them)."""

    documents: NDArray[np.int64]
    scores: NDArray[np.float64]


def rank_articles(index: Index, query: Query, settings: Settings) -> RankedArticles:
    """Return the articles to answer from, best first; ties are in collection order.

    The native approach takes every article that holds a query word, in collection order. Articles without a required
    word are left out before the cut. Where a path can be met without words, the articles that hold none follow the
    ranked ones in collection order, past the cut; where nothing is ranked, all are in collection order.
    """
    terms = term_postings(index, query)
    if settings.approach == "native":
        documents, found = _holding_any(index, terms), None
    else:
        documents, found = article_scores(index, query, terms, settings)
    others = np.setdiff1d(_all_live(index), documents) if query.may_hold_without_words else np.empty(0, np.int64)
    for term in query.required:
        for word in term.words:
            holds = np.isin(documents, index.postings(word).documents, assume_unique=True)
            documents, found = documents[holds], None if found is None else found[holds]
    if found is None:
        return _unranked(index, np.sort(np.concatenate([documents, others])))
    n_best = settings.limit if settings.approach == "fulltext" else settings.articles
    ranked = best(documents, found, n_best, index.order)
    if not others.size:
        return ranked
    last = _unranked(index, others)
    return RankedArticles(
        np.concatenate([ranked.documents, last.documents]), np.concatenate([ranked.scores, last.scores])
    )


def article_scores(
    index: Index, query: Query, terms: list[TermPostings], settings: Settings
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the articles that hold a query word, ascending, and their scores."""
    expression = document_expression(settings.similarity)
    if expression is None:
        return scores(settings.similarity, terms, collection_of(index), settings.parameters)
    return score_documents(index, expression, query.word_counts, settings.parameters)


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


def _unranked(index: Index, documents: NDArray[np.int64]) -> RankedArticles:
    """Return documents (ascending) in collection order."""
    in_order = documents if index.order is None else documents[np.argsort(index.order[documents])]
    return RankedArticles(in_order, np.zeros(len(in_order)))


def _all_live(index: Index) -> NDArray[np.int64]:
    return np.arange(index.n_slots) if index.live is None else np.flatnonzero(index.live)


def _holding_any(index: Index, terms: list[TermPostings]) -> NDArray[np.int64]:
    is_found = np.zeros(index.n_slots, np.bool_)
    for postings in terms:
        is_found[postings.documents] = True
    return np.flatnonzero(is_found)
