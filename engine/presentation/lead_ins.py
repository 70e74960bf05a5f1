"""The lead-ins of lists: a short text before a list, ending in a colon or a dash, that says what is listed."""

from __future__ import annotations

import re

import numpy as np

from engine.index.elements.containment import WithAncestors
from engine.index.elements.headings import LEAD_IN_SIGNS, LONGEST_OPENER
from engine.index.reader import IndexReader


def lead_ins(index: IndexReader, known: WithAncestors) -> dict[int, int]:
    """Return the lead-in of each of the elements that has one: an element with others, not of its tag, right after it.

    Args:
        known: elements with their ancestors.
    """
    elements = index.elements
    above = known.rows.take(known.parents)
    are_lists = (known.rows - 1 > above) & (above != known.rows) & (elements.n_own_words(known.rows) == 0)
    lists, above = known.rows.compress(are_lists), above.compress(are_lists)
    before = lists - 1
    while (inside := elements.parent(before) != above).any():
        before = np.where(inside, elements.parent(before), before)
    n_words = elements.n_words(before)
    could_be = (n_words > 0) & (n_words <= LONGEST_OPENER) & (elements.n_own_words(before) == n_words)
    could_be &= elements.tag(before) != elements.tag(lists)
    lists, before = lists.compress(could_be), before.compress(could_be)
    texts = index.texts_of(before)
    return {
        row: lead_in
        for row, lead_in, text in zip(lists.tolist(), before.tolist(), texts, strict=True)
        if text.rstrip().endswith(LEAD_IN_SIGNS)
    }


def last_sentence(lead_in: str) -> str:
    """Return the last sentence of a lead-in, which opens the list.

    >>> last_sentence("Boats are let by the day. Bring with you:")
    'Bring with you:'
    """
    return re.split(r"(?<=[.!?])\s+(?=[^\W\d_])", lead_in)[-1]
