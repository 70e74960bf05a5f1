"""The context of elements: their ancestors, headings and neighbours, from which parts of their scores are computed.

The elements that are scored for a query are those that can be answers or contain matches, and their ancestors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask, Rows, distinct, places_of
from engine.index.elements.containment import adjacent_siblings, with_ancestors
from engine.index.elements.element_store import Elements
from engine.index.elements.element_table import INLINE, MOSTLY_TITLES, TableMask
from engine.index.elements.headings import (
    NO_FOLLOWING_SCOPES,
    NO_SCOPES,
    FollowingScopes,
    Scopes,
    blocks_after,
    scopes_of_titles,
    with_following,
)
from engine.index.postings.leaf_postings import Occurrences
from engine.index.reader import IndexReader
from engine.kernels.table import compiled, native
from engine.planning.plan import ByScore, Plan
from engine.query_limits import reserve
from engine.ranking.eligibility.title_text import has_records
from engine.ranking.matches import Matches
from engine.records import NamedTuple
from engine.similarity.term_frequencies import pairs_in
from engine.similarity.values import Pairs
from engine.structure.inline_elements import NONE as NO_INLINE
from engine.structure.inline_elements import InlineElements, contain_any, inline_near, own_words

# Least length of neighbours, in text blocks: a number of a line or a rule is none.
NEIGHBOUR_BLOCKS = 0.2
# Terms that are counted together in all elements of a document; those of a query of more one after the other.
MOST_TERMS = 64


class Context(NamedTuple):
    """Elements, ascending, with their ancestors that count; columns of shape (n,)."""

    rows: Rows
    ends: Rows
    words: Rows
    tags: Rows  # numbers
    document: Rows  # places among the documents of the matches
    parents: Rows  # places; of the element itself where the parent is not here
    is_root: Mask
    is_mostly_titles: Mask
    scopes: Scopes = NO_SCOPES  # of headings, as places
    inline: InlineElements = NO_INLINE
    # First blocks after headings with a match, places: they may contain none themselves.
    headed: Rows = np.empty(0, np.int64)
    # Where they are known: places of elements and of those directly after them.
    neighbours: tuple[Rows, Rows] | None = None

    def places(self, rows: Rows) -> Rows:
        """Return the places of some of the rows."""
        return self.rows.searchsorted(rows)


def neighbours_in(context: Context, block_words: float) -> tuple[Rows, Rows]:
    """Return the places of elements and of those directly after them, where both are long enough, shape (n_pairs,)."""
    if context.neighbours is not None:
        return context.neighbours
    is_long = (context.words >= NEIGHBOUR_BLOCKS * block_words) & ~context.is_root
    return adjacent_siblings(context.rows, context.ends, context.parents, is_long)


def context_of(
    index: IndexReader,
    chosen: Rows,
    documents: Rows,
    mask: TableMask,
    inline: InlineElements = NO_INLINE,
    *,
    following: FollowingScopes = NO_FOLLOWING_SCOPES,
) -> Context:
    """Return the context of some elements: themselves and their ancestors, as far as they count.

    Args:
        documents: the documents of the elements, ascending.
        inline: the inline elements that the query asks for by name; others are left out.
        following: the scopes of the headings with a rank in the documents.
    """
    elements = index.elements
    if len(inline.rows):
        chosen = np.concatenate([elements.nearest_non_inline(chosen), inline.rows])
    context, levels = _found(elements, distinct(chosen), documents, mask, inline.rows)
    reserve(14 * len(context.rows))
    context = _with_following(context, levels, following)
    if not len(inline.rows):
        return context
    words = context.words.copy()
    words[context.places(inline.rows)] += inline.last - inline.first
    return context._replace(words=words, inline=inline, neighbours=None)


def _counted_in_numpy(
    index: IndexReader,
    occurrences: Sequence[Occurrences],
    headed: Rows,
    documents: Rows,
    mask: TableMask,
    following: FollowingScopes,
) -> tuple[Context, Pairs]:
    rows = np.concatenate([headed, *(each.rows for each in occurrences)])
    context = context_of(index, rows, documents, mask, following=following)
    return context, pairs_in([(each.rows, each.tf) for each in occurrences], context.rows, context.ends)


@compiled(_counted_in_numpy)
def counted_context(
    index: IndexReader,
    occurrences: Sequence[Occurrences],
    headed: Rows,
    documents: Rows,
    mask: TableMask,
    following: FollowingScopes,
) -> tuple[Context, Pairs]:
    """Return the elements with an occurrence of a term, and their ancestors, that count, with the terms in each.

    Args:
        occurrences: of each term in the documents; these are ascending. headed: further elements, ascending.
        following: the scopes of the headings with a rank in the documents.
    """
    if not 0 < len(occurrences) <= MOST_TERMS:
        return _counted_in_numpy(index, occurrences, headed, documents, mask, following)
    elements, postings = index.elements, ([each.rows for each in occurrences], [each.tf for each in occurrences])
    if len(headed):  # a term that occurs 0 times there
        postings = [*postings[0], headed], [*postings[1], np.zeros(len(headed), np.int64)]
    borders = elements.root(documents), elements.document_end(documents)
    columns, pairs = native.count_elements(elements.table(documents), mask, *postings, *borders)
    context, levels = _read(columns)
    found = Pairs(*[np.frombuffer(column, np.int64) for column in pairs])
    reserve(14 * len(context.rows) + 3 * len(found.term))
    return _with_following(context, levels, following), found


def _with_following(context: Context, levels: NDArray[np.uint8], following: FollowingScopes) -> Context:
    """Return a context in which headings with a rank speak of what follows them."""
    headings = places_of((levels > 0) & ~context.is_root)
    scopes = with_following(context.scopes, context.rows, headings, following)
    return context if scopes is context.scopes else context._replace(scopes=scopes)


def _found_in_numpy(
    elements: Elements, chosen: Rows, documents: Rows, mask: TableMask, inline: Rows
) -> tuple[Context, NDArray[np.uint8]]:
    rows, parents = with_ancestors(elements.parent, chosen)
    kinds, words, is_root = elements.kinds(rows), elements.n_words(rows), parents == np.arange(len(rows))
    is_inline = kinds & INLINE > 0
    while (climbing := places_of(is_inline.take(parents))).size:
        parents[climbing] = parents.take(parents.take(climbing))
    levels, is_kept = mask.apply(kinds, words, parents, is_root)
    is_kept[rows.searchsorted(inline)] = True
    kept = places_of(is_kept)
    around = parents.take(kept)
    parents = np.where(is_kept.take(around), (is_kept.cumsum() - 1).take(around), np.arange(len(kept)))
    rows, words, is_root, levels = rows.take(kept), words.take(kept), is_root.take(kept), levels.take(kept)
    ends = elements.end(rows)
    found = Context(
        rows=rows,
        ends=ends,
        words=words,
        tags=elements.tag(rows),
        document=_documents_of(elements.root(documents), rows, is_root),
        parents=parents,
        is_root=is_root,
        scopes=scopes_of_titles(rows, ends, parents, is_root, levels),
        is_mostly_titles=kinds.take(kept) & MOSTLY_TITLES > 0,
    )
    return found, levels


@compiled(_found_in_numpy)
def _found(
    elements: Elements, chosen: Rows, documents: Rows, mask: TableMask, inline: Rows
) -> tuple[Context, NDArray[np.uint8]]:
    """Return the context, without the scopes of headings with a rank, and how many elements up headings speak of.

    Args:
        chosen: ascending; inline: those of them that count though they are inline.
    """
    table, roots = elements.table(documents), elements.root(documents)
    return _read(native.find_context(table, mask, chosen, inline, roots))


def _read(columns: tuple[Any, ...]) -> tuple[Context, NDArray[np.uint8]]:
    """Return a context from the columns of a kernel, and how many elements up headings speak of."""
    numbers, masks, neighbours, scopes = columns
    rows, ends, words, tags, document, parents = [np.frombuffer(column, np.int64) for column in numbers]
    is_root, levels, is_mostly_titles = [np.frombuffer(mask, np.uint8) for mask in masks]
    found = Context(
        rows=rows,
        ends=ends,
        words=words,
        tags=tags,
        document=document,
        parents=parents,
        is_root=is_root.view(np.bool_),
        scopes=Scopes(*[np.frombuffer(column, np.int64) for column in scopes]),
        neighbours=(np.frombuffer(neighbours[0], np.int64), np.frombuffer(neighbours[1], np.int64)),
        is_mostly_titles=is_mostly_titles.view(np.bool_),
    )
    return found, levels


def _documents_of(roots: Rows, rows: Rows, is_root: Mask) -> Rows:
    """Return the place of the document of each row (ascending), of which some are the roots."""
    number = is_root.cumsum() - 1
    found = rows.compress(is_root)
    return number if len(found) == len(roots) else roots.searchsorted(found).take(number)


def _mask(index: IndexReader, order: ByScore, min_words: float) -> TableMask:
    """Return the mask of the elements of `min_words` words or more, of all that can be neighbours, and of headings.

    In an adaptive order these tell which elements can be answers, whether or not they count in scores.
    """
    of_neighbours = NEIGHBOUR_BLOCKS * index.statistics.block_words
    with_headings = order.is_adaptive or bool(order.heading_weight)
    return TableMask(min(min_words, of_neighbours), of_neighbours, with_headings, order.header_rows)


def context_of_answers(
    index: IndexReader,
    plan: Plan,
    order: ByScore,
    matches: Matches,
    occurrences: Sequence[Occurrences],
    *,
    everything: bool = False,
    with_short: bool = True,
) -> tuple[Context, Pairs | None]:
    """Return the elements that are scored: those that can be answers or contain matches, and their ancestors.

    The terms in each come with them where they are counted at once.

    Args:
        occurrences: of the terms of the query.
        everything: also elements that contain matches but cannot be answers.
        with_short: of passages, whether windows of any length are asked for.
    """
    answers_alone = not everything and not order.passages
    inline = _inline_answers(index, plan, matches)
    targets = matches.targets
    if targets is None:
        is_by_length = plan.answers.from_matches is None and matches.rows_outside is None
        leaves_out_short = is_by_length and (answers_alone or not with_short)
        leaves_out_short = leaves_out_short and not has_records(index, plan, order)  # they are answers however short
        mask = _mask_of_matches(index, order, leaves_out_short=leaves_out_short)
        following = index.following_scopes(matches.documents) if mask.with_headings else NO_FOLLOWING_SCOPES
        headed, outside = _headed(index, plan, order, matches, following), matches.rows_outside
        if matches.are_occurrences and outside is None and not len(inline.rows):
            context, pairs = counted_context(index, occurrences, headed, matches.documents, mask, following)
        else:
            chosen = np.concatenate([matches.rows, headed if outside is None else outside])
            context, pairs = context_of(index, chosen, matches.documents, mask, inline, following=following), None
        return context._replace(headed=context.places(headed)) if len(headed) else context, pairs
    if answers_alone and plan.answers.is_target:
        return context_of(index, targets, matches.documents, TableMask(), inline), None
    if not plan.answers.is_target:  # then inline elements are answers only where their tags are asked for
        targets = targets.compress(~index.elements.is_inline(targets))
    return context_of(index, np.concatenate([matches.rows, targets]), matches.documents, TableMask(), inline), None


def _headed(index: IndexReader, plan: Plan, order: ByScore, matches: Matches, following: FollowingScopes) -> Rows:
    """Return the first blocks after headings with a match, which can be answers for what these say, ascending.

    None where an answer has to contain a match itself: with `operator` and, for answers that are found from matches
    (`answers` oCRE), and inside a scope.
    """
    contain_match = plan.matching.needs_all or plan.answers.from_matches is not None or matches.rows_outside is not None
    if contain_match or not order.heading_weight:
        return matches.documents[:0]
    columns = [each.rows for each in matches.occurrences] if matches.known_rows is None else [matches.known_rows]
    return blocks_after(following, columns)


def _mask_of_matches(index: IndexReader, order: ByScore, *, leaves_out_short: bool) -> TableMask:
    """Return the mask of the elements of a query without strict targets.

    Args:
        leaves_out_short: whether elements that are too short for an answer, a neighbour or a passage are not needed.
    """
    block_words = index.statistics.block_words
    shortest = order.min_words.resolve(block_words) if leaves_out_short else 0.0
    if order.passages:
        shortest = min(shortest, order.min_passage_words.resolve(block_words))
    return _mask(index, order, shortest)


def _inline_answers(index: IndexReader, plan: Plan, matches: Matches) -> InlineElements:
    """Return the inline elements that the query or the settings ask for by name."""
    elements = index.elements
    if matches.targets is not None and plan.answers.is_target:
        return own_words(index, matches.targets.compress(elements.is_inline(matches.targets)))
    numbers = [elements.tag_numbers[name] for name in plan.answers.tags or () if name in elements.tag_numbers]
    numbers = sorted(elements.inline_tags.intersection(numbers))
    if not numbers:
        return NO_INLINE
    inline = inline_near(index, elements.with_tags(numbers, matches.documents), matches.rows)
    return inline.where(contain_any(index, inline, plan.query.wanted, matches.documents))
