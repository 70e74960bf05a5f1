"""The last of the answers: those with a share of the best score, in the order of a field where one is asked for.

Of near-duplicates the first one, where these are asked for once.
"""

from __future__ import annotations

import numpy as np

from engine.arrays import Rows, mask_of, places_of
from engine.index.shard_exchange import Exchange
from engine.planning.plan import Plan, WholeArticles
from engine.ranking.articles import RankedArticles
from engine.ranking.selection.repetitions import AnswerWords, TextsInOrder, repeated_in_list
from engine.ranking.selection.selection import Selected
from engine.ranking.trace import Reason, Trace, current_trace
from engine.sharded_search.shard_merging import TakenTexts, largest, merged_order


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
    of_field = order.take(selected.articles)
    places = merged_order(selected.scores, selected.articles, groups_by_article=False, field_places=of_field)
    if isinstance(trace, Trace):
        known = trace.values["places"][places]
        trace.record_order(np.concatenate([known, trace.order[~mask_of(known, len(trace.order))[trace.order]]]))
    return _at(selected, places, None)


def first_answers(
    plan: Plan, selected: Selected, order: Rows | None, texts: AnswerWords, exchange: Exchange
) -> Selected:
    """Return as many answers as there may be; without repetitions of better ones, where these are asked for once.

    Args:
        order: as in `with_floor_and_order`.
    """
    most, places = plan.settings.max_answers, np.arange(len(selected))
    if plan.settings.repetitions == "once" and exchange.n_shards > 1:
        return _once_in_all_shards(plan, selected, order, texts, exchange)
    if plan.settings.repetitions == "once":
        trace, in_order = current_trace(), TextsInOrder(texts, selected.rows, selected.sentences, selected.siblings)
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


def _once_in_all_shards(
    plan: Plan, selected: Selected, order: Rows | None, texts: AnswerWords, exchange: Exchange
) -> Selected:
    """Return the first answers of this shard without those that repeat a better one of any shard.

    What is decided of the first answers of all shards stays; the next ones then take the places of those left out.
    """
    most = plan.settings.max_answers
    while True:
        first = selected.at(np.arange(min(most, len(selected))))
        given = TakenTexts(
            texts.columns(first.rows, first.sentences),
            None if plan.follows_articles else first.scores,
            first.articles,
            plan.selection.groups_by_article,
            None if order is None else order.take(first.articles),
            most,
        )
        found = exchange.combine(repeated_in_list, given)
        if not any(len(each.places) for each in found):
            return first
        texts.add_repetitions(given.texts, found[exchange.number])
        selected = selected.at(np.delete(np.arange(len(selected)), found[exchange.number].places))


def _at(selected: Selected, places: Rows, reason: Reason | None) -> Selected:
    """Return the answers at some places; the trace knows why others are none."""
    trace = current_trace()
    if isinstance(trace, Trace):
        known = trace.values["places"]
        if reason is not None:
            trace.drop_candidates(reason, known[~mask_of(places, len(known))])
        trace.record("places", known[places])
    return selected.at(places)
