"""From a batch of ranked articles to candidates: matches, the structure of the query, candidates.

Candidates are the elements or passages that can be answers, with their scores or in their order.
"""

from __future__ import annotations

import numpy as np

from engine.arrays import Rows
from engine.image_search.image_scores import ScoredImages, image_rows
from engine.index.reader import IndexReader
from engine.index.shard_exchange import Exchange, summed
from engine.planning.plan import ByHeuristic, ByScore, Plan, WholeArticles
from engine.ranking.articles import RankedArticles
from engine.ranking.batches import ArticleBatch
from engine.ranking.candidate_columns import Candidates
from engine.ranking.candidates_by_score import candidates_by_score
from engine.ranking.matches import Matches, find_matches, first_matches
from engine.ranking.observed_stage import run_stage
from engine.ranking.parts.article import ARTICLE
from engine.ranking.scoring.term_weights import DocumentWeights
from engine.ranking.selection.answer_scope import is_in_scope, matches_in_scope
from engine.ranking.trace import Reason, current_trace
from engine.ranking.window_pruning import PruningThreshold
from engine.sharded_search.shard_merging import largest
from engine.structure import read_structure
from engine.thesis import heuristics


def search_batch(
    index: IndexReader,
    plan: Plan,
    ranked: RankedArticles,
    batch: ArticleBatch,
    *,
    n_first: int | None = None,
    images: ScoredImages | None = None,
    lowest: float = -np.inf,
    weights: DocumentWeights | None = None,
) -> tuple[Matches, Candidates]:
    """Return the matches of a batch of articles, at most the first `n_first`, and the candidates made of them.

    Args:
        lowest: the score that a candidate needs to be an answer, -inf where that is not known: candidates that cannot
            be answers may be left out.
        weights: of the terms in these articles and others, where they are known.
    """
    matches = run_stage("matches", structured_matches, index, plan, batch, n_first, images)
    return matches, run_stage("candidates", find_candidates, index, plan, ranked, batch, matches, lowest, weights)


def structured_matches(
    index: IndexReader, plan: Plan, batch: ArticleBatch, n_first: int | None, images: ScoredImages | None = None
) -> Matches:
    """Return the matches in a batch of articles that the structure of the query and the scope leave, at most n.

    Whole articles are answers without matches.
    """
    if isinstance(plan.order, WholeArticles):
        return Matches(batch.documents, (), np.empty(0, np.int64))
    found = find_matches(index.elements, plan.query, batch.documents, plan.matching)
    if images is not None:
        found = found.with_image_rows(image_rows(images, index.elements, found.documents))
    matches = read_structure(index, plan.query, plan.matching, found)
    matches = matches_in_scope(index, plan, matches)
    if n_first is None:
        return matches
    of_targets = plan.matching.of_targets
    if index.exchange.n_shards > 1:
        n_first = _own_share(index, index.exchange, batch, matches, n_first, of_targets=of_targets)
    return first_matches(index.elements, matches, batch.ranked, n_first, of_targets=of_targets)


def _own_share(
    index: IndexReader, exchange: Exchange, batch: ArticleBatch, matches: Matches, n_first: int, *, of_targets: bool
) -> int:
    """Return how many of the first matches of all shards are in this one."""
    rows = matches.targets if of_targets and matches.targets is not None else matches.rows
    n_articles = exchange.combine(largest, int(batch.places.max(initial=-1)) + 1)
    places = batch.places[np.searchsorted(batch.documents, index.elements.document(rows))]
    counts = np.bincount(places, minlength=n_articles)
    total = exchange.combine(summed, counts)
    before = np.cumsum(total) - total
    return int(np.minimum(counts, np.maximum(n_first - before, 0)).sum())


def find_candidates(
    index: IndexReader,
    plan: Plan,
    ranked: RankedArticles,
    batch: ArticleBatch,
    matches: Matches,
    lowest: float = -np.inf,
    weights: DocumentWeights | None = None,
) -> Candidates:
    """Return the candidates of a batch of articles, for their matches after the structure of the query is read.

    Args:
        lowest: the score that an answer needs, -inf where it is not known: passages that score less may be left out.
        weights: of terms in these articles, where they are known.
    """
    order = plan.order
    if isinstance(order, ByScore):
        of_articles = ARTICLE.column(order, ranked.scores)
        needed = PruningThreshold(lowest, of_articles)
        found = candidates_by_score(index, plan, order, batch, matches, needed, weights)
        return found.plus(of_articles.take(found.articles))
    if isinstance(order, ByHeuristic):
        return _in_order_of_heuristic(index, plan, order, batch, matches)
    by_rank, roots = batch.places.argsort(), index.elements.root(batch.documents)
    current_trace().keep("candidates", Reason.WHOLE_ARTICLES, roots)
    return _in_order(index, roots[by_rank], batch.places[by_rank])


def _in_order_of_heuristic(
    index: IndexReader, plan: Plan, order: ByHeuristic, batch: ArticleBatch, matches: Matches
) -> Candidates:
    """Return the coherent elements of the matches in the order of their structural counts."""
    elements = heuristics.count_elements(index.elements, matches, plan.answers)
    if plan.scope.restricts_elements:
        kept = is_in_scope(index, plan, elements.rows, matches.documents)
        elements = heuristics.CountedElements(*(column[kept] for column in elements))
    articles = batch.places[np.searchsorted(batch.documents, elements.documents)]
    best = heuristics.order(index.elements, elements, articles, order.letters)
    return _in_order(index, elements.rows[best], articles[best])


def _in_order(index: IndexReader, rows: Rows, articles: Rows) -> Candidates:
    return Candidates(rows, articles, rows, index.elements.end(rows), index.elements.n_words(rows))
