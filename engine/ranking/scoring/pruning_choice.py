"""Whether articles are left out by bounds, or all are searched: without a bound, or where it costs more than it saves.

Bounds save time where one article answers the query, so that it stands out, and where there is much to search. Both are
estimated from the statistics of the collection before anything is read. Answers are the same either way.
"""

from __future__ import annotations

from engine.index.reader import IndexReader
from engine.planning.plan import ByScore, Plan
from engine.query.query import Query
from engine.ranking.articles import RankedArticles
from engine.ranking.batches import first_by_score
from engine.ranking.parts import catalogue
from engine.ranking.scoring.element_bounds import has_bounds
from engine.ranking.scoring.focus import focus_among

# Ranked articles for each of several shards from which on bounds take less time than all of its articles.
FEWEST_OF_A_SHARD = 200
# The focus of a query, and the leaves with its words in the ranked articles, from which on bounds save time: of the
# pairs that were tried on several collections, these take the least (bench/notebook/speed_experiments.md).
LEAST_FOCUS, FEWEST_LEAVES = 0.6, 2000
# A passage of sentences takes about as much time as so many elements.
LEAVES_OF_PASSAGES = 2


def reason_to_search_all(index: IndexReader, plan: Plan, order: ByScore, ranked: RankedArticles) -> str:
    """Return why all ranked articles are searched; "" where bounds leave some out. All shards agree."""
    return reason_without_bounds(plan, order) or _why_too_costly(index, plan, order, ranked)


def reason_without_bounds(plan: Plan, order: ByScore) -> str:
    """Return why the scores of a plan have no bounds; "" where they do, and each article is scored by itself."""
    if plan.selection.groups_by_article:
        return "answers are grouped by article"
    if plan.matching.n_first is not None:
        return "max_matches counts matches in the order of the articles"
    if not has_bounds(plan.query, order) or not catalogue.has_bounds(order):
        return "the score of an element has no bound"
    return ""


def _why_too_costly(index: IndexReader, plan: Plan, order: ByScore, ranked: RankedArticles) -> str:
    n_shards, n_ranked = index.exchange.n_shards, len(ranked)
    if 2 * first_by_score(plan) >= n_ranked or (n_shards > 1 and n_ranked < FEWEST_OF_A_SHARD * n_shards):
        return "few articles are ranked for so many answers, or the index has shards"
    focus = 1.0 if order.focus is None else focus_among(order.focus, ranked)
    if focus < LEAST_FOCUS:
        return f"no article stands out: the focus is {focus:.2f}, bounds save time from {LEAST_FOCUS} on"
    n_leaves = leaves_with_words(index, plan.query, n_ranked) * (LEAVES_OF_PASSAGES if order.passages else 1)
    if n_leaves < FEWEST_LEAVES:
        return f"there is little to search: about {n_leaves:.0f} matches, bounds save time from {FEWEST_LEAVES} on"
    return ""


def leaves_with_words(index: IndexReader, query: Query, n_articles: int) -> float:
    """Return an estimate of the leaves of `n_articles` articles that contain a query word; one with two counts twice.

    As many for each article with a word as in the whole collection.
    """
    terms = [index.statistics.term(word) for word in query.word_counts]
    return sum(term.leaf_frequency * min(1.0, n_articles / max(term.document_frequency, 1)) for term in terms)
