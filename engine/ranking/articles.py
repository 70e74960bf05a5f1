"""From a plan to ranked articles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from engine.arrays import ArrayRecord, FloatArray, Mask, distinct, is_among, nth_highest, places_of
from engine.index.reader import IndexReader
from engine.kernels.table import compiled
from engine.planning.plan import ArticleRanking, Plan
from engine.query.query import Query
from engine.query_limits import check_time, reserve
from engine.ranking.expressions.expression_scores import score_documents
from engine.ranking.matches import rows_without, term_occurrences, union
from engine.ranking.selection.answer_scope import documents_in_scope, fitting_documents
from engine.ranking.trace import Reason, current_trace
from engine.records import NamedTuple, dataclass, with_values
from engine.sharded_search.shard_merging import FoundArticles, largest, merge_articles
from engine.similarity.presets import BM25, TermPostings, best_by_bm25, opening_part, parameters_of, scores


@dataclass(frozen=True, eq=False, repr=False)
class RankedArticles(ArrayRecord):
    """Articles, best first: document numbers and scores (0 where articles are not ranked); shape (n,).

    In a search over one of several shards they are those of all, and documents of the others have the number -1.
    highest: the best score of an article in all documents, whether the scope has it or not; 0 without ranked articles.
    """

    documents: NDArray[np.int64]
    scores: FloatArray
    highest: float = field(default=0.0, compare=False)

    def __len__(self) -> int:
        return len(self.documents)

    def __repr__(self) -> str:
        best = f", best={self.scores[0]:.4f}" if len(self) else ""
        return f"RankedArticles(articles={len(self)}{best})"


def rank_articles(index: IndexReader, plan: Plan) -> RankedArticles:
    """Return the articles to answer from, best first; ties are in collection order. Of several shards, of all.

    The native approach takes every article that contains a query term, in collection order. Articles without a required
    term, and those outside the scope of the search, are left out before the cut. Where a path can match without terms,
    the articles that contain none follow the ranked ones in collection order, past the cut; where articles are not
    ranked, all are in collection order.
    """
    ranked, n_ranked = _ranked(index, plan, term_postings(index, plan.query))
    found = of_all_shards(index, ranked, n_ranked, plan.articles.n_best if plan.articles.is_ranked else 0)
    highest = index.exchange.combine(largest, ranked.highest) if plan.scope.restricts_documents else None
    return found if highest is None else with_values(found, highest=highest)


class _Found(NamedTuple):
    """The articles that a query finds: with one of its words, ascending, with their scores; and others, ascending.

    highest: as in `RankedArticles`.
    """

    documents: NDArray[np.int64]
    scores: FloatArray | None
    others: NDArray[np.int64]
    highest: float


def found_articles(index: IndexReader, plan: Plan) -> NDArray[np.int64]:
    """Return the articles of this shard that a query finds, before the best of them are chosen."""
    found = _found(index, plan, term_postings(index, plan.query), is_scored=False)
    return np.union1d(found.documents, found.others)


def _found(index: IndexReader, plan: Plan, terms: list[TermPostings], *, is_scored: bool) -> _Found:
    query, trace = plan.query, current_trace()
    documents, found = (
        article_scores(index, query, terms, plan.articles) if is_scored else (_containing_any(index, terms), None)
    )
    others = np.setdiff1d(index.live_documents, documents) if query.may_match_without_terms else np.empty(0, np.int64)
    trace.keep_documents("articles", Reason.NO_TERM, documents, others)
    for term in query.required:
        for word in term.words:
            has_word = np.isin(documents, index.postings(word).documents, assume_unique=True)
            documents, found = documents[has_word], None if found is None else found[has_word]
            trace.keep_documents("articles", Reason.REQUIRED_TERM, documents, term=word)
        if term.is_phrase and plan.articles.needs_match:
            of_phrase = index.elements.document(term_occurrences(index.elements, term, documents).rows)
            has_phrase = is_among(documents, distinct(of_phrase))
            documents, found = documents[has_phrase], None if found is None else found[has_phrase]
            trace.keep_documents("articles", Reason.REQUIRED_TERM, documents, term=str(term))
    if plan.articles.needs_match and query.unwanted:
        has_match = _have_match(index, query, documents)
        documents, found = documents[has_match], None if found is None else found[has_match]
        trace.keep_documents("articles", Reason.UNWANTED_TERM, documents, others)
    highest = 0.0 if found is None else float(found.max(initial=0.0))
    if plan.scope.restricts_documents:
        fits = fitting_documents(index, plan.scope, documents)
        documents, found = documents[fits], None if found is None else found[fits]
        others = others[fitting_documents(index, plan.scope, others)]
        trace.keep_documents("articles", Reason.DOCUMENTS, documents, others)
    return _Found(documents, found, others, highest)


def _have_match(index: IndexReader, query: Query, documents: NDArray[np.int64]) -> Mask:
    """Return for each document (ascending) with a query word whether one stands apart from unwanted terms."""
    unwanted = union([index.postings(term.words[0]).documents for term in query.unwanted])
    doubtful = documents[is_among(documents, unwanted)]
    matches = union([each.rows for each in index.elements.occurrences_of_each(list(query.word_counts), doubtful)])
    for term in query.unwanted:
        matches = rows_without(matches, term_occurrences(index.elements, term, doubtful).rows)
    return ~is_among(documents, doubtful) | is_among(documents, distinct(index.elements.document(matches)))


def _ranked_in_numpy(index: IndexReader, plan: Plan, terms: list[TermPostings]) -> tuple[RankedArticles, int]:
    ranking = plan.articles
    documents, found, others, highest = _found(index, plan, terms, is_scored=ranking.is_ranked)
    if found is None:
        return _unranked(index, np.sort(np.concatenate([documents, others]))), 0
    ranked = best(documents, found, ranking.n_best, index.order)
    current_trace().keep_documents("articles", Reason.MAX_ARTICLES, ranked.documents, others)
    n_ranked = len(ranked)
    last = _unranked(index, others)
    every = np.concatenate([ranked.documents, last.documents]), np.concatenate([ranked.scores, last.scores])
    return RankedArticles(*every, highest), n_ranked


@compiled(_ranked_in_numpy)
def _ranked(index: IndexReader, plan: Plan, terms: list[TermPostings]) -> tuple[RankedArticles, int]:
    """Return the articles of this shard, and how many of them are ranked by score."""
    if current_trace().is_on or not terms or not _are_best_by_bm25(plan):
        return _ranked_in_numpy(index, plan, terms)
    ranking = plan.articles
    kept = documents_in_scope(index, plan.scope) if plan.scope.restricts_documents else None
    parameters = parameters_of(BM25, ranking.parameters)
    ranked = RankedArticles(
        *best_by_bm25(
            terms, index.statistics, parameters, ranking.n_best, index.order, ranking.opening_weight, kept=kept
        )
    )
    return ranked, len(ranked)


def _are_best_by_bm25(plan: Plan) -> bool:
    """Return whether articles are the best by BM25 of all that contain a term, and lie in the scope."""
    query, ranking = plan.query, plan.articles
    has_signs = query.required or (ranking.needs_match and query.unwanted)
    is_plain = not has_signs and not query.may_match_without_terms
    return is_plain and ranking.is_ranked and ranking.expression is None and ranking.similarity == BM25


def of_all_shards(index: IndexReader, ranked: RankedArticles, n_ranked: int | None, n_best: int) -> RankedArticles:
    """Return the articles of all shards, from those of this one; the same where there is one.

    Args:
        n_ranked: how many of them are ranked by score, None for all; n_best: how many of those of all shards stay.
    """
    if index.exchange.n_shards == 1:
        return ranked
    ids = [index.ids[document] for document in ranked.documents.tolist()]
    merged = index.exchange.combine(
        merge_articles, FoundArticles(ids, ranked.scores, len(ids) if n_ranked is None else n_ranked, n_best)
    )
    is_own = merged.shards == index.exchange.number
    documents = np.full(len(is_own), -1)
    documents[is_own] = ranked.documents[merged.places[is_own]]
    return RankedArticles(documents, merged.scores, float(merged.scores.max(initial=0.0)))


def article_scores(
    index: IndexReader, query: Query, terms: list[TermPostings], ranking: ArticleRanking
) -> tuple[NDArray[np.int64], FloatArray | None]:
    """Return the articles that contain a query term, ascending, and their scores."""
    if ranking.expression is None:
        documents, found = scores(ranking.similarity, terms, index.statistics, ranking.parameters)
    else:
        documents, found = score_documents(index, ranking.expression, query.word_counts, ranking.parameters)
    return documents, with_openings(index, terms, documents, found, ranking.opening_weight)


def with_openings(
    index: IndexReader, terms: Sequence[TermPostings], documents: NDArray[np.int64], found: FloatArray, weight: float
) -> FloatArray:
    """Return the scores of documents (ascending), which contain a query term, with those of their openings."""
    if not weight:
        return found
    found = found.copy()
    for postings in terms:
        places = documents.searchsorted(postings.opening_documents)
        found[places] += opening_part(postings, index.statistics, weight)
    return found


def best(
    documents: NDArray[np.int64], found: FloatArray, n_best: int, order: NDArray[np.int64] | None
) -> RankedArticles:
    """Return the n best-scored documents, best first; ties are in collection order."""
    if len(found) > n_best:
        chosen = places_of(found >= nth_highest(found, n_best))
        documents, found = documents[chosen], found[chosen]
    place = documents if order is None else order[documents]
    by_score = np.lexsort((place, -found))[:n_best]
    return RankedArticles(documents[by_score], found[by_score])


def term_postings(index: IndexReader, query: Query) -> list[TermPostings]:
    """Return the postings of the query's words that occur in the collection, sorted by word."""
    found = []
    index.statistics.prepare(list(query.word_counts))
    for word, count in query.word_counts.items():
        frequencies = index.statistics.term(word)
        if frequencies.document_frequency:
            postings = index.postings(word)
            check_time()
            reserve(2 * len(postings.documents) + 2 * len(postings.opening_documents))
            found.append(TermPostings(word, count, *postings, frequencies))
    return found


def _unranked(index: IndexReader, documents: NDArray[np.int64]) -> RankedArticles:
    """Return documents (ascending) in collection order."""
    in_order = documents if index.order is None else documents[np.argsort(index.order[documents])]
    return RankedArticles(in_order, np.zeros(len(in_order)))


def _containing_any(index: IndexReader, terms: list[TermPostings]) -> NDArray[np.int64]:
    is_found = np.zeros(index.n_slots, np.bool_)
    for postings in terms:
        is_found[postings.documents] = True
    return places_of(is_found)
