"""Which of the scored elements can be answers, by kind and length."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.index.containment import contains_any, is_inside, is_member
from engine.index.element_store import Elements
from engine.index.reader import IndexReader
from engine.retrieval.matches import Matches, term_occurrences
from engine.retrieval.plan import ByScore, Plan
from engine.retrieval.scoring.context import Context, FloatArray
from engine.retrieval.scoring.fragments import fragment_tags
from engine.retrieval.trace import Reason, Trace

Rows = NDArray[np.int64]


def eligible_places(
    index: IndexReader,
    plan: Plan,
    order: ByScore,
    matches: Matches,
    context: Context,
    trace: Trace | None = None,
) -> Rows:
    """Return the places of the scored elements that can be answers, ascending.

    Strict targets are answers of any length; other answers are in or below a target, contain no unwanted term, and have
    a length within the bounds of the plan. A whole article is never too short.
    """
    if plan.answers.is_target and matches.targets is not None:
        return context.places(matches.targets)
    places = _of_kind(index, plan, order, matches, context, trace)
    if matches.targets is not None:
        in_target = is_inside(index.elements, context.rows[places], matches.targets)
        places = _keep(places, in_target, context, trace, Reason.STRUCTURE)
    for term in plan.query.unwanted:
        unwanted = term_occurrences(index.elements, term, matches.documents).rows
        is_wanted = ~contains_any(index.elements, context.rows[places], unwanted)
        places = _keep(places, is_wanted, context, trace, Reason.UNWANTED_TERM, str(term))
    return places


def shortest_answer(index: IndexReader, plan: Plan, order: ByScore, documents: Rows) -> float:
    """Return a number of words that every candidate in some documents has at least."""
    block, elements = index.statistics.block_words, index.elements
    of_windows = order.min_passage_words.resolve(block)
    if order.passages and not order.whole_weight:
        return of_windows
    may_be_inline = plan.answers.tags is not None  # inline elements that are asked for by name have any length
    if plan.answers.is_target or may_be_inline or not len(documents):
        return 0.0
    of_elements = min(order.min_words.resolve(block), float(elements.n_words(elements.root(documents)).min()))
    return min(of_windows, of_elements) if order.passages else of_elements


def best_leaves(elements: Elements, rows: Rows, scores: FloatArray, n_best: int) -> Rows:
    """Return the best rows of each article by score, ascending; ties go to the first in document order."""
    documents = elements.document(rows)
    order = np.lexsort((rows, -scores, documents))
    place = np.arange(len(rows)) - np.searchsorted(documents[order], documents[order])
    best: Rows = np.sort(rows[order][place < n_best])
    return best


def _keep(
    places: Rows, kept: NDArray[np.bool_], context: Context, trace: Trace | None, reason: Reason, term: str = ""
) -> Rows:
    """Return the places that a filter keeps; the trace records the rows of the others."""
    if trace is not None:
        trace.drop("candidates", reason, context.rows[places[~kept]], term)
    return places[kept]


def _of_kind(
    index: IndexReader, plan: Plan, order: ByScore, matches: Matches, context: Context, trace: Trace | None
) -> Rows:
    elements, rule = index.elements, plan.answers
    if rule.from_matches is not None:
        rows = rule.from_matches(elements, matches.rows, elements.document(matches.rows))
        if trace is not None:
            trace.keep("candidates", Reason.OF_ANOTHER_KIND, rows)
        places = context.places(rows)
    else:
        places = _with_matches(index, order, matches, context)
        if rule.tags is not None:
            numbers = [elements.tag_numbers[name] for name in rule.tags if name in elements.tag_numbers]
            places = _keep(places, np.isin(elements.tag(context.rows[places]), numbers), context, trace, Reason.TAG)
        else:
            places = _keep(places, _holds_text(index, order, context, places), context, trace, Reason.FRAGMENT)
    shortest = order.min_words.resolve(index.statistics.block_words)
    longest = np.inf if order.max_words is None else order.max_words.resolve(index.statistics.block_words)
    is_long = (
        (context.words[places] >= shortest)
        | context.is_root[places]
        | is_member(context.rows[places], context.inline.rows)
    )
    places = _keep(places, is_long, context, trace, Reason.MIN_WORDS)
    places = _keep(places, context.words[places] <= longest, context, trace, Reason.MAX_WORDS)
    if rule.lowest_only:
        following = np.append(context.rows[places], np.iinfo(np.int64).max)[1:]
        places = _keep(places, following >= context.ends[places], context, trace, Reason.NOT_LOWEST)
    found: Rows = places
    return found


def _holds_text(index: IndexReader, order: ByScore, context: Context, places: Rows) -> NDArray[np.bool_]:
    """Return which elements hold running text, or enough of fragments: by what elements of their tag usually hold."""
    is_fragment = fragment_tags(index, order).are_fragments
    holds_text: NDArray[np.bool_] = ~is_fragment[index.elements.tag(context.rows[places])] | context.is_root[places]
    return holds_text


def _with_matches(index: IndexReader, order: ByScore, matches: Matches, context: Context) -> Rows:
    """Return the places of the matching elements, of their ancestors, and of the inline ones, ascending."""
    if matches.targets is None and order.max_leaves is None and matches.rows_outside is None:
        return np.arange(len(context.rows))  # exactly the scored elements
    has_match = np.zeros(len(context.rows), np.bool_)
    has_match[context.places(context.inline.rows)] = True
    places = context.places(index.elements.nearest_non_inline(matches.rows))
    while places.size:
        has_match[places] = True
        places = context.parents[places]
        places = places[~has_match[places]]
    return np.flatnonzero(has_match)
