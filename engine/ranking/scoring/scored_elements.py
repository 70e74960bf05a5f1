"""Which elements are scored for a query: those that can be answers or contain matches, and their ancestors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.index.elements.element_table import TableMask
from engine.index.postings.leaf_postings import Occurrences
from engine.index.reader import IndexReader
from engine.planning.plan import ByScore, Plan
from engine.ranking.matches import Matches
from engine.ranking.scoring.context import NEIGHBOUR_BLOCKS, Context, context_of, counted_context
from engine.similarity.values import Pairs
from engine.structure.inline_elements import NONE, InlineElements, contain_any, inline_near, own_words


def _mask(index: IndexReader, order: ByScore, min_words: float) -> TableMask:
    """Return the mask of the elements of `min_words` words or more, and of all that can be neighbours."""
    of_neighbours = NEIGHBOUR_BLOCKS * index.statistics.block_words
    return TableMask(min(min_words, of_neighbours), of_neighbours, bool(order.heading_weight), order.header_rows)


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
        mask = _mask_of_matches(index, order, leaves_out_short=leaves_out_short)
        outside = matches.rows_outside
        if matches.are_occurrences and outside is None and not len(inline.rows):
            return counted_context(index, occurrences, matches.documents, mask)
        rows = matches.rows if outside is None else np.concatenate([matches.rows, outside])
        return context_of(index, rows, matches.documents, mask, inline), None
    if answers_alone and plan.answers.is_target:
        return context_of(index, targets, matches.documents, TableMask(), inline), None
    if not plan.answers.is_target:  # then inline elements are answers only where their tags are asked for
        targets = targets.compress(~index.elements.is_inline(targets))
    return context_of(index, np.concatenate([matches.rows, targets]), matches.documents, TableMask(), inline), None


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
        return NONE
    inline = inline_near(index, elements.with_tags(numbers, matches.documents), matches.rows)
    return inline.where(contain_any(index, inline, plan.query.wanted, matches.documents))
