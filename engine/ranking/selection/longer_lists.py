"""Lists longer than the answers, which a later step orders anew (`semantic_order`) or joins (`sibling_runs`).

How long they are, and how they are cut to the answers.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.planning.plan import Plan
from engine.ranking.selection.repetitions import AnswerWords
from engine.ranking.selection.rows_of_tables import RowsOfTables
from engine.ranking.selection.selection import (
    Selected,
    cut_by_budget,
    first_of_articles,
    in_order,
    in_order_of_articles,
)
from engine.ranking.trace import Reason, Trace, current_trace

# With max_per_article, so many times the answers of an article, and so many times the answers in all: enough remain
# once the cap is applied to the new list.
REACH = 10
# Answers among which siblings are looked for, at least.
JOINED = 1500


def needs_longer_list(plan: Plan) -> bool:
    """Return whether a later step makes the answers of a longer list."""
    return plan.semantic is not None or plan.selection.joins_siblings


def with_longer_list(plan: Plan) -> Plan:
    """Return the plan of the search of which a later step makes the answers; another plan as it is."""
    if not needs_longer_list(plan):
        return plan
    chosen, most, semantic = plan.selection, plan.selection.max_per_article, plan.semantic
    n_answers = chosen.max_answers * (1 if most is None else REACH)
    if semantic is not None:
        n_answers = max(n_answers, semantic.n_best, semantic.n_reranked)
    if chosen.joins_siblings:
        n_answers = max(n_answers, JOINED)
    selection = replace(
        chosen,
        max_answers=n_answers,
        max_per_article=None if most is None else REACH * most,
        word_budget=None,
        removes_overlap=chosen.removes_overlap or chosen.word_budget is not None or chosen.joins_siblings,
    )
    return replace(plan, selection=selection)


def in_order_of_scores(plan: Plan, selected: Selected) -> Selected:
    """Return the answers in the order of their scores, by article where the plan groups them."""
    columns = selected.known_scores, selected.articles, np.arange(len(selected))
    grouped = plan.selection.groups_by_article
    order = in_order_of_articles(*columns) if grouped else in_order(*columns, len(selected))
    trace = current_trace()
    if isinstance(trace, Trace):
        trace.record("places", trace.values["places"][order])
    return selected.at(order)


def cut_to_length(plan: Plan, selected: Selected, texts: AnswerWords, tables: RowsOfTables | None) -> Selected:
    """Return as many of the answers, best first, as there may be: in all, of an article, within a word budget.

    Args:
        texts, tables: as in `select`.
    """
    selection, trace, kept = plan.selection, current_trace(), np.arange(len(selected))
    places = trace.values["places"] if isinstance(trace, Trace) else None
    if selection.word_budget is not None:
        kept, granted = cut_by_budget(selection, selected, places, texts, tables)
        words = selected.words.copy()
        words[kept] = granted
        selected = replace(selected, words=words)
    elif selection.max_per_article is not None:
        kept = first_of_articles(selected.articles, selection.max_per_article)
        if isinstance(trace, Trace) and places is not None:
            trace.drop_candidates(Reason.MAX_PER_ARTICLE, np.delete(places, kept))
    if isinstance(trace, Trace) and places is not None:
        others = trace.order[~np.isin(trace.order, places)]
        trace.record_order(np.concatenate([places, others]))
        trace.drop_candidates(Reason.MAX_ANSWERS, places[kept[selection.max_answers :]])
        trace.record("places", places[kept[: selection.max_answers]])
    return selected.at(kept[: selection.max_answers])
