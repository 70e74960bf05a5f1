"""Whole elements among passages: what is too short in sentences, a table or a list of references, is returned whole.

    score(e) = share(e) x score of e in its context + article_weight x score of the article
    share(e) = 1 if the tag of e usually contains fragments (`fragments`), else whole_weight

A fragment is not a passage where an element around it can be one. An element of sentences competes with them by a share
of its score: it is an answer where what speaks for it, in its headings, in its neighbours or evenly in all its
sentences, is more than what one sentence adds to it.

Undivided text (`engine.index.statistics.tag_sums`) is never a passage as a whole, nor is an element that contains
it: its sentences are passages, even where elements of its tag usually contain fragments.
"""

from __future__ import annotations

import numpy as np

from engine.arrays import FloatArray, Mask, Rows, places_of
from engine.index.elements.containment import is_inside
from engine.index.reader import IndexReader
from engine.index.statistics.tag_sums import FragmentTags, are_undivided
from engine.planning.plan import ByScore


def fragment_tags(index: IndexReader, order: ByScore) -> FragmentTags:
    """Return which tags contain fragments, and which are fragments; none where `min_leaf_words` is 0."""
    block = index.statistics.block_words
    return index.fragment_tags(order.min_leaf_words.resolve(block), order.block_words.resolve(block))


def whole_shares(index: IndexReader, order: ByScore, rows: Rows) -> FloatArray:
    """Return the share of its score by which each element competes with sentences, shape (n,)."""
    contains_fragments = fragment_tags(index, order).contain_fragments[index.elements.tag(rows)]
    return np.where(contains_fragments, 1.0, order.whole_weight)


def are_undivided_texts(index: IndexReader, leaves: Rows) -> Mask:
    """Return which leaves are undivided text."""
    elements, have_undivided_text = index.elements, index.statistics.tags.have_undivided_text
    found = np.zeros(len(leaves), np.bool_)
    if have_undivided_text.any():
        places = places_of(have_undivided_text[elements.tag(leaves)])
        rows = leaves.take(places)
        roots = elements.root(elements.document(rows))
        found[places] = are_undivided(elements.n_own_words(rows), elements.n_words(roots))
    return found


def are_of_sentences(index: IndexReader, order: ByScore, leaves: Rows, is_undivided: Mask, wholes: Rows) -> Mask:
    """Return which leaves have sentences that can be passages: undivided text, no fragments, or in none of the wholes.

    Args:
        leaves: matching leaves, ascending; wholes: the whole elements that can be passages, ascending.
    """
    is_in_whole = fragment_tags(index, order).are_fragments[index.elements.tag(leaves)] & ~is_undivided
    fragments = places_of(is_in_whole)
    if fragments.size:
        is_in_whole[fragments] = is_inside(index.elements, leaves.take(fragments), wholes)
    return ~is_in_whole
