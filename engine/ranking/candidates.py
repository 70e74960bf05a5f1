"""From matches to candidates: the elements or passages that can be answers, with their scores or in their order."""

from __future__ import annotations

import numpy as np

from engine.arrays import Rows
from engine.index.reader import IndexReader
from engine.planning.plan import ByHeuristic, ByScore, Plan
from engine.ranking.articles import RankedArticles
from engine.ranking.batches import ArticleBatch
from engine.ranking.candidate_columns import Candidates
from engine.ranking.candidates_by_score import candidates_by_score
from engine.ranking.matches import Matches
from engine.ranking.parts.article import ARTICLE
from engine.ranking.scoring.term_weights import DocumentWeights
from engine.ranking.selection.answer_scope import is_in_scope
from engine.ranking.trace import Reason, current_trace
from engine.ranking.window_pruning import PruningThreshold
from engine.thesis import heuristics


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
