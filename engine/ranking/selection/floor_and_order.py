"""The last of the answers: those with a share of the best score, in the order of a field where one is asked for.

Of near-duplicates the first one, where these are asked for once.
"""

from __future__ import annotations

import numpy as np

from engine.arrays import FloatArray, Rows, mask_of, places_of
from engine.errors import SettingsError
from engine.index.shard_exchange import Exchange
from engine.planning.plan import Plan, WholeArticles
from engine.ranking.articles import RankedArticles
from engine.ranking.selection.repetitions import AnswerWords, TextsInOrder
from engine.ranking.selection.selection import Selected
from engine.ranking.trace import Reason, Trace, current_trace
from engine.sharded_search.shard_merging import largest


def with_floor_and_order(
    plan: Plan, ranked: RankedArticles, selected: Selected, order: Rows | None, exchange: Exchange
) -> Selected:
    """Return the answers that score enough, by score or by a field.

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
    return _at(selected, places, None)


def first_answers(plan: Plan, selected: Selected, texts: AnswerWords) -> Selected:
    """Return as many answers as there may be; without repetitions of better ones, where these are asked for once.

    Raises: SettingsError for repetitions over shards.
    """
    most, places = plan.settings.max_answers, np.arange(len(selected))
    if plan.settings.repetitions == "once":
        if texts.n_shards > 1:
            raise SettingsError(
                "repetitions = once: a cluster leaves out none: search the index itself (foxir search), or within a "
                "word_budget."
            )
        trace, in_order = current_trace(), TextsInOrder(texts, selected.rows, selected.sentences)
        dropped = list[int]()
        for place in places.tolist():
            if place - len(dropped) == most:
                break
            original = in_order.add(place)
            if original is not None:
                dropped.append(place)
                if isinstance(trace, Trace):
                    known = trace.values["places"]
                    trace.drop_candidates(Reason.REPETITION, known[[place]], known[[original]])
        selected = _at(selected, np.delete(places, dropped), None) if dropped else selected
    return selected if len(selected) <= most else _at(selected, np.arange(most), Reason.MAX_ANSWERS)


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
