"""The last of the answers: those with a share of the best score, in the order of a field where one is asked for."""

from __future__ import annotations

import numpy as np

from engine.arrays import FloatArray, Rows, mask_of, places_of
from engine.index.shard_exchange import Exchange
from engine.planning.plan import Plan, WholeArticles
from engine.ranking.articles import RankedArticles
from engine.ranking.selection.selection import Selected
from engine.ranking.trace import Reason, Trace, current_trace
from engine.sharded_search.shard_merging import largest


def with_floor_and_order(
    plan: Plan, ranked: RankedArticles, selected: Selected, order: Rows | None, exchange: Exchange
) -> Selected:
    """Return the answers that score enough, by score or by a field, as many as there may be.

    Args:
        order: the place of each article in the order of the field, None for the order of the scores.
    """
    share, trace = plan.settings.min_score, current_trace()
    scores = selected.scores
    if scores is None and isinstance(plan.order, WholeArticles):
        scores = ranked.scores.take(selected.articles)
    if scores is not None and share:
        best = exchange.combine(largest, float(scores.max(initial=-np.inf)))
        selected = _at(selected, places_of(scores >= share * best), Reason.MIN_SCORE)
    if order is None:
        return selected
    places = in_order_of_field(order.take(selected.articles), selected.scores, selected.articles)
    if isinstance(trace, Trace):
        known = trace.values["places"][places]
        trace.record_order(np.concatenate([known, trace.order[~mask_of(known, len(trace.order))[trace.order]]]))
    selected = _at(selected, places, None)
    return _at(selected, np.arange(min(len(selected), plan.settings.max_answers)), Reason.MAX_ANSWERS)


def in_order_of_field(places: Rows, scores: FloatArray | None, articles: Rows) -> Rows:
    """Return the order of answers by the place of their articles, those of one place by score, then by article."""
    return np.lexsort((articles, np.zeros(len(places)) if scores is None else -scores, places))


def _at(selected: Selected, places: Rows, reason: Reason | None) -> Selected:
    """Return the answers at some places; the trace knows why others are none."""
    trace = current_trace()
    if isinstance(trace, Trace):
        known = trace.values["places"]
        if reason is not None:
            trace.drop_candidates(reason, known[~mask_of(places, len(known))])
        trace.record("places", known[places])
    return selected.at(places)
