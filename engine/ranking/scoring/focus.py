"""The focus of a query: how far one article answers it, estimated from the best score of an article.

    focus = x⁶ / (x⁶ + MIDDLE⁶),   x = B / (ln N · √m)
    N   documents
    B   best score of an article by BM25, with that of its opening, without the constant factor k1 + 1
    m   different words of the query that the collection contains

B tells how much of the query one article brings together. A longer query finds more of its words in some article by
chance; like the deviation of a sum, that grows with √m. Near 1 the answer is probably in one article: its score, the
text around an element, and how words are distributed inside it count. Near 0 what counts is the element alone, by the
weights of words in the whole collection. All evidence is integer sums and one maximum: it does not depend on segments.
"""

from __future__ import annotations

import math

import numpy as np

from engine.index.reader import IndexReader
from engine.planning.plan import ByScore, Plan
from engine.ranking.articles import RankedArticles, term_postings, with_openings
from engine.ranking.parts.catalogue import focused_weights
from engine.ranking.trace import current_trace
from engine.records import dataclass, with_values
from engine.sharded_search.shard_merging import largest
from engine.similarity.presets import BM25, PRESETS, parameters_of, scores

# x at which the article and the element alone count alike, and how steeply focus rises there
MIDDLE, STEEPNESS = 0.4, 6


@dataclass(frozen=True)
class Focus:
    """The focus of a query, 0 to 1, with the numbers it is computed from; these are 1 where it does not depend on them.

    best: B / ln N; words: m.
    """

    value: float
    best: float = 1.0
    words: int = 1


def focused(index: IndexReader, plan: Plan, ranked: RankedArticles) -> Plan:
    """Return the plan with weights for the focus of its query, given or estimated; other plans as they are."""
    order = plan.order
    if not isinstance(order, ByScore):
        return plan
    focus = focus_of(index, plan, ranked) if order.focus is None else Focus(order.focus)
    current_trace().record("focus", focus)
    return with_values(plan, order=with_focus(order, focus.value))


def with_focus(order: ByScore, focus: float) -> ByScore:
    """Return an order by score with the weights that a focus gives it; of elements if it is too low for passages."""
    return with_values(
        order,
        parameters={**order.parameters, "focus": focus} if order.is_adaptive else order.parameters,
        focus=focus,
        passages=order.passages and focus >= order.passage_focus,
        **focused_weights(order, focus),
    )


def focus_of(index: IndexReader, plan: Plan, ranked: RankedArticles) -> Focus:
    """Return the focus of a query; 1 for a collection of one document, 0 where no article is ranked."""
    statistics = index.statistics
    words = sum(statistics.term(word).document_frequency > 0 for word in plan.query.word_counts)
    if not words or not (len(ranked) or ranked.highest):
        return Focus(0.0)
    if statistics.n_documents < 2:
        return Focus(1.0)
    best = _best_score(index, plan, ranked) / math.log(statistics.n_documents)
    x = (best / math.sqrt(words)) ** STEEPNESS
    return Focus(x / (x + MIDDLE**STEEPNESS), best, words)


def focus_among(focus: float, ranked: RankedArticles) -> float:
    """Return what the focus of a query would be by the best article in its scope alone, from that in all documents.

    It tells whether an article in the scope stands out; scores depend on the focus in all documents.
    """
    best = float(ranked.scores.max(initial=0.0))
    if best >= ranked.highest:
        return focus
    odds = focus * (best / ranked.highest) ** STEEPNESS
    return odds / (odds + 1 - focus)


def needs_best_score_alone(plan: Plan) -> bool:
    """Return whether the focus depends on the best score of an article: these are ranked as the focus asks for."""
    ranking = plan.articles
    is_by_bm25 = ranking.is_ranked and ranking.similarity == BM25
    return is_by_bm25 and parameters_of(BM25, ranking.parameters) == PRESETS[BM25].defaults


def _best_score(index: IndexReader, plan: Plan, ranked: RankedArticles) -> float:
    """Return the best score of a ranked article by BM25 with the usual parameters and by its opening, over k1 + 1."""
    usual = PRESETS[BM25].defaults
    if needs_best_score_alone(plan):
        return ranked.highest / (float(usual["k1"]) + 1)
    terms = term_postings(index, plan.query)
    documents, found = scores(BM25, terms, index.statistics, {})
    found = with_openings(index, terms, documents, found, plan.articles.opening_weight)
    best = float(found[np.isin(documents, ranked.documents)].max(initial=0.0))
    return index.exchange.combine(largest, best) / (float(usual["k1"]) + 1)
