"""From matches to candidates: the elements or passages that can be answers, with what their order is computed from."""

from __future__ import annotations

import numpy as np

from engine.index.reader import IndexReader
from engine.planning.plan import ByHeuristic, ByScore, Plan
from engine.ranking.batches import ArticleBatch
from engine.ranking.candidate_columns import ArticleCandidates, Candidates, CountedCandidates
from engine.ranking.matches import Matches
from engine.ranking.scored_candidates import scored_candidates
from engine.ranking.scoring.term_weights import DocumentWeights
from engine.ranking.selection.answer_scope import is_in_scope
from engine.ranking.trace import Reason, current_trace
from engine.ranking.window_pruning import PruningThreshold
from engine.thesis.heuristics import CountedElements, count_elements


def find_candidates(
    index: IndexReader,
    plan: Plan,
    batch: ArticleBatch,
    matches: Matches,
    needed: PruningThreshold | None = None,
    weights: DocumentWeights | None = None,
) -> Candidates:
    """Return the candidates of a batch of articles, for their matches after the structure of the query is read.

    Args:
        needed: which of scored candidates are; None for all. weights: of terms in these articles, where they are known.
    """
    if isinstance(plan.order, ByScore):
        return scored_candidates(index, plan, plan.order, batch, matches, needed=needed, weights=weights)
    if isinstance(plan.order, ByHeuristic):
        elements = count_elements(index.elements, matches, plan.answers)
        if plan.scope.restricts_elements:
            kept = is_in_scope(index, plan, elements.rows, matches.documents)
            elements = CountedElements(*(column[kept] for column in elements))
        return CountedCandidates(elements, batch.places[np.searchsorted(batch.documents, elements.documents)])
    order, roots = batch.places.argsort(), index.elements.root(batch.documents)
    current_trace().keep("candidates", Reason.WHOLE_ARTICLES, roots)
    return ArticleCandidates(roots[order], batch.places[order])
