"""Which elements are scored for a query: those that can be answers or contain matches, and their ancestors."""

from __future__ import annotations

import numpy as np

from engine.index.elements.element_trees import TreeKind
from engine.index.elements.header_rows import NO_HEADER_ROWS
from engine.index.reader import IndexReader
from engine.planning.plan import ByScore, Plan
from engine.ranking.matches import Matches
from engine.ranking.scoring.context import NEIGHBOUR_BLOCKS, Context, context_of
from engine.ranking.scoring.tree_context import context_in_tree
from engine.structure.inline_elements import NONE, InlineElements, contain_any, inline_near, own_words


def tree_kind(index: IndexReader, order: ByScore) -> TreeKind:
    """Return the kind of the tree that has all elements which are scored where these are the answers."""
    return _kind_of_tree(index, order, order.min_words.resolve(index.statistics.block_words))


def _kind_of_tree(index: IndexReader, order: ByScore, min_words: float) -> TreeKind:
    """Return the kind of the tree of the elements of `min_words` words or more, and of all that can be neighbours."""
    of_neighbours = NEIGHBOUR_BLOCKS * index.statistics.block_words
    min_words = min(min_words, of_neighbours)
    return TreeKind(min_words, of_neighbours, bool(order.heading_weight), order.header_rows)


def context_of_answers(
    index: IndexReader,
    plan: Plan,
    order: ByScore,
    matches: Matches,
    *,
    everything: bool = False,
    with_short: bool = True,
) -> Context:
    """Return the elements that are scored: those that can be answers or contain matches, and their ancestors.

    Args:
        everything: also elements that contain matches but cannot be answers.
        with_short: of passages, whether windows of any length are asked for.
    """
    answers_alone = not everything and not order.passages
    inline = _inline_answers(index, plan, matches)
    if matches.targets is None:
        is_by_length = plan.answers.from_matches is None and matches.rows_outside is None
        leaves_out_short = is_by_length and (answers_alone or not with_short)
        return _context_of_matches(index, order, matches, inline, leaves_out_short=leaves_out_short)
    elements, targets = index.elements, matches.targets
    if answers_alone and plan.answers.is_target:
        return context_of(elements, targets, matches.documents, inline=inline, with_roots=False)
    if not plan.answers.is_target:  # then inline elements are answers only where their tags are asked for
        targets = targets.compress(~elements.is_inline(targets))
    rows = np.concatenate([matches.rows, targets, inline.rows])
    return context_of(elements, rows, matches.documents, inline=inline)


def _context_of_matches(
    index: IndexReader, order: ByScore, matches: Matches, inline: InlineElements, *, leaves_out_short: bool
) -> Context:
    """Return the matching elements of a query without strict targets, with their ancestors.

    Args:
        inline: those that are asked for by name.
        leaves_out_short: whether elements that are too short for an answer, a neighbour or a passage are not needed.
    """
    elements, block_words = index.elements, index.statistics.block_words
    shortest = order.min_words.resolve(block_words) if leaves_out_short else 0.0
    if order.passages:
        shortest = min(shortest, order.min_passage_words.resolve(block_words))
    kind = _kind_of_tree(index, order, shortest)
    profile = index.profile if kind.with_headings else None
    outside = matches.rows_outside
    rows = matches.rows if outside is None else np.concatenate([matches.rows, outside])
    if kind.min_words > 0 and not len(inline.rows):
        tree = index.trees.find(kind, len(rows))
        if tree is not None:
            return context_in_tree(tree, elements, rows, matches.documents, profile)
    counts_header_rows = kind.with_headings and kind.with_header_rows
    return context_of(
        elements,
        rows,
        matches.documents,
        inline=inline,
        min_words=kind.min_words,
        profile=profile,
        header_rows=index.header_rows.of(matches.documents) if counts_header_rows else NO_HEADER_ROWS,
    )


def _inline_answers(index: IndexReader, plan: Plan, matches: Matches) -> InlineElements:
    """Return the inline elements that the query or the settings ask for by name."""
    elements = index.elements
    if matches.targets is not None and plan.answers.is_target:
        return own_words(index, matches.targets.compress(elements.is_inline(matches.targets)))
    numbers = [elements.tag_numbers[name] for name in plan.answers.tags or () if name in elements.tag_numbers]
    numbers = sorted(elements.inline_tags.intersection(numbers))
    if not numbers:
        return NONE
    inline = inline_near(index, elements.with_tags(numbers, matches.documents), matches.rows)
    return inline.where(contain_any(index, inline, plan.query.wanted, matches.documents))
