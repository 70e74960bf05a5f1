"""Which of the scored elements can be answers, by kind and length.

Records, and terms with what is said of them (`Profile.records`), are the smallest useful answers. So are entries
(`Profile.entries`) of a text of more than GIANT words: lines of verse without stanzas, citations in a list of hundreds.
Between these and the text around them nothing is an answer. Of any text, so is an entry right after its term, which is
in its breadcrumb.

A record of up to LONGEST_RECORD words is an answer, however short, and nothing inside of it is: one field of a
catalogue's entry, or a term without its definition, answers nothing. Longer ones are elements like others, and answers
even if their tag contains fragments. Where fields are asked for, by structure, by a scope or by `min_leaf_words` 0,
there are no records.
"""

from __future__ import annotations

import numpy as np

from engine.arrays import Mask, Rows, distinct, is_among, mask_of, places_of, ranges
from engine.index.elements.containment import contains_any, is_inside
from engine.index.elements.header_rows import MOST_GROUPS
from engine.index.reader import IndexReader
from engine.planning.plan import ByScore, Plan
from engine.ranking.eligibility.title_text import asks_for_titles, has_records
from engine.ranking.eligibility.whole_elements import fragment_tags
from engine.ranking.matches import Matches, term_occurrences
from engine.ranking.scoring.context import Context
from engine.ranking.trace import Reason, current_trace
from engine.records import NamedTuple

# Words from which on a cell can be an answer without its row.
LONG_CELL = 12
LONGEST_RECORD, GIANT = 100, 300  # words


def eligible_places(index: IndexReader, plan: Plan, order: ByScore, matches: Matches, context: Context) -> Rows:
    """Return the places of the scored elements that can be answers, ascending.

    Strict targets are never too short; other answers are in or below a target, contain no unwanted term, and have a
    length within the bounds of the plan. A whole article is never too short.
    """
    if plan.answers.is_target and matches.targets is not None:
        targets = context.places(matches.targets)
        if order.max_words is None:
            return targets
        are_short = context.words[targets] <= order.max_words.resolve(index.statistics.block_words)
        return _keep(targets, are_short, context, Reason.MAX_WORDS)
    places = _of_kind(index, plan, order, matches, context)
    if matches.targets is not None:
        in_target = is_inside(index.elements, context.rows[places], matches.targets)
        places = _keep(places, in_target, context, Reason.STRUCTURE)
    for term in plan.query.unwanted:
        unwanted = term_occurrences(index.elements, term, matches.documents).rows
        is_wanted = ~contains_any(index.elements, context.rows[places], unwanted)
        places = _keep(places, is_wanted, context, Reason.UNWANTED_TERM, str(term))
    return places


def shortest_answer(index: IndexReader, plan: Plan, order: ByScore, documents: Rows) -> float:
    """Return a number of words that every candidate in some documents has at least."""
    block, elements = index.statistics.block_words, index.elements
    of_windows = order.min_passage_words.resolve(block)
    if order.passages and not order.whole_weight:
        return of_windows
    may_be_inline = plan.answers.tags is not None  # inline elements that are asked for by name have any length
    if plan.answers.is_target or may_be_inline or not len(documents) or has_records(index, plan, order):
        return 0.0
    of_elements = min(order.min_words.resolve(block), float(elements.n_words(elements.root(documents)).min()))
    return min(of_windows, of_elements) if order.passages else of_elements


def _keep(places: Rows, kept: Mask, context: Context, reason: Reason, term: str = "") -> Rows:
    """Return the places that a filter keeps; the trace records the rows of the others."""
    current_trace().drop("candidates", reason, lambda: context.rows[places[~kept]], term)
    return places[kept]


def _of_kind(index: IndexReader, plan: Plan, order: ByScore, matches: Matches, context: Context) -> Rows:
    elements, rule, block, trace = index.elements, plan.answers, index.statistics.block_words, current_trace()
    filters: list[tuple[Reason, Mask]] = []
    records: Records | None = None
    if rule.from_matches is not None:
        rows = rule.from_matches(elements, matches.rows, elements.document(matches.rows))
        trace.keep("candidates", Reason.OF_ANOTHER_KIND, rows)
        is_eligible = mask_of(context.places(rows), len(context.rows))
    else:
        is_eligible = _has_match(index, matches, context)
        if rule.tags is None:
            records = records_among(index, context) if has_records(index, plan, order) else None
            if records is not None:
                filters.append((Reason.IN_RECORD, ~records.are_inside))
            is_running = _is_running_text(index, plan, order, context)
            filters.append((Reason.FRAGMENT, is_running if records is None else is_running | records.are_long))
            if order.min_leaf_words.value and plan.scope.inside is None:
                filters.append((Reason.PART_OF_TABLE, ~_are_parts_of_tables(index, matches, context)))
            if not asks_for_titles(index, plan):
                is_text = ~context.is_mostly_titles | _are_named(index, matches, context)
                filters.append((Reason.MOSTLY_TITLES, is_text))
        else:
            filters.append((Reason.TAG, elements.is_tag(rule.tags).take(context.tags)))
    is_long = context.words >= order.min_words.resolve(block)
    is_long |= context.is_root
    if len(context.inline.rows):
        is_long[context.places(context.inline.rows)] = True
    filters.append((Reason.MIN_WORDS, is_long))
    if records is not None:  # a record is neither a fragment nor a title, nor too short
        filters = [
            (reason, passes if reason == Reason.IN_RECORD else passes | records.are_records)
            for reason, passes in filters
        ]
    if order.max_words is not None:
        filters.append((Reason.MAX_WORDS, context.words <= order.max_words.resolve(block)))
    places = places_of(is_eligible)
    for reason, passes in filters:
        places = _keep(places, passes.take(places), context, reason)
    if rule.lowest_only:
        following = np.append(context.rows[places], np.iinfo(np.int64).max)[1:]
        places = _keep(places, following >= context.ends[places], context, Reason.NOT_LOWEST)
    return places


def _is_running_text(index: IndexReader, plan: Plan, order: ByScore, context: Context) -> Mask:
    """Return which elements are running text: roots, and those whose tags are usually no fragments.

    Groups of rows are, too, where the search is inside them.
    """
    is_fragment = fragment_tags(index, order).are_fragments
    if plan.scope.inside is not None:
        asked = {name.rpartition(":")[2] for name in plan.scope.inside} & index.profile.row_group_tags
        is_fragment = is_fragment & ~index.elements.is_tag(asked)
    is_running: Mask = ~is_fragment.take(context.tags)
    is_running |= context.is_root
    return is_running


def _are_parts_of_tables(index: IndexReader, matches: Matches, context: Context) -> Mask:
    """Return which elements say little without their table: its header rows, short cells, and what these contain."""
    elements, parents, tags = index.elements, context.parents, context.tags
    is_table = elements.is_tag(index.profile.table_tags)
    places = places_of(elements.is_tag(index.profile.row_tags).take(tags))
    if not places.size:
        return np.zeros(len(context.rows), np.bool_)
    tables = parents.take(places)
    for _ in range(MOST_GROUPS):
        tables = np.where(is_table.take(tags.take(tables)), tables, parents.take(tables))
    places = places.compress(is_table.take(tags.take(tables)))
    if not places.size:
        return np.zeros(len(context.rows), np.bool_)
    is_part = mask_of(places, len(context.rows)).take(parents) & (context.words < LONG_CELL)
    headers, rows = index.header_rows.of(matches.documents), context.rows.take(places)
    if len(headers.rows):
        at = headers.rows.searchsorted(rows)
        is_header = headers.rows.take(at, mode="clip") == rows
        is_part[places] |= is_header & headers.are_marked.take(at, mode="clip")
    parts = places_of(is_part)
    if not parts.size:
        return is_part
    stops = context.places(context.ends.take(parts))
    outermost = places_of(parts >= np.append(0, np.maximum.accumulate(stops))[:-1])
    return mask_of(ranges(parts.take(outermost), (stops - parts).take(outermost)), len(context.rows))


def _are_named(index: IndexReader, matches: Matches, context: Context) -> Mask:
    """Return which elements have several like ones beside them and a title of their own with all words of the query."""
    elements, (headings, entitled, _) = index.elements, context.scopes
    are_own = entitled < headings
    headings, entitled = headings.compress(are_own), entitled.compress(are_own)
    could_be = context.is_mostly_titles.take(entitled)
    could_be &= context.words.take(entitled) > context.words.take(headings)
    for found in sorted(matches.occurrences, key=lambda each: len(each.rows)):
        headings, entitled = headings.compress(could_be), entitled.compress(could_be)
        if not headings.size:
            break
        titles, ends = context.rows.take(headings), context.ends.take(headings)
        could_be = found.rows.searchsorted(ends) > found.rows.searchsorted(titles)
    entitled = entitled.compress(could_be) if headings.size else entitled
    if not entitled.size:
        return np.zeros(len(context.rows), np.bool_)
    rows = context.rows.take(entitled)
    following = np.minimum(context.ends.take(entitled), elements.row_base[-1] - 1)
    is_before_like = elements.tag(following) == elements.tag(rows)
    is_before_like &= elements.parent(following) == elements.parent(rows)
    return mask_of(entitled.compress(is_before_like | (elements.ordinal(rows) > 1)), len(context.rows))


def _has_match(index: IndexReader, matches: Matches, context: Context) -> Mask:
    """Return which elements match, are above one that does, or are inline ones that the query asks for."""
    if matches.targets is None and matches.rows_outside is None:
        return np.ones(len(context.rows), np.bool_)  # exactly the scored elements
    has_match = mask_of(context.places(context.inline.rows), len(context.rows))
    places = context.places(index.elements.nearest_non_inline(matches.rows))
    while places.size:
        has_match[places] = True
        places = context.parents[places]
        places = places[~has_match[places]]
    return has_match


class Records(NamedTuple):
    """Which of the scored elements are short records, which lie in one, and which are longer ones."""

    are_records: Mask
    are_inside: Mask
    are_long: Mask


def records_among(index: IndexReader, context: Context) -> Records:
    """Return which of the scored elements are short records, which lie in one, and which are longer ones."""
    are_records = index.are_records(context.rows)
    are_long = are_records & (context.words > LONGEST_RECORD)
    entries = places_of(index.are_entries(context.rows))
    if entries.size:
        elements, rows = index.elements, context.rows.take(entries)
        around = elements.nearest_non_inline(elements.parent(rows))
        documents = distinct(elements.document(rows))
        terms = index.following_scopes(documents)
        begin, end = terms.headings.searchsorted([int(elements.root(documents[:1])[0]), int(rows[-1])])
        are_records[entries] |= (elements.n_words(around) > GIANT) | is_among(rows, np.sort(terms.first[begin:end]))
    are_records &= context.words <= LONGEST_RECORD
    inside = is_inside(index.elements, context.rows, context.rows.compress(are_records), properly=True)
    return Records(are_records & ~inside, inside, are_long)
