"""Fragments of text, under some settings (`engine.index.statistics.fragment_tags`)."""

from __future__ import annotations

from engine.index.reader import IndexReader
from engine.index.statistics.fragment_tags import FragmentTags
from engine.planning.plan import ByScore


def fragment_tags(index: IndexReader, order: ByScore) -> FragmentTags:
    """Return which tags contain fragments, and which are fragments; none where `min_leaf_words` is 0."""
    block = index.statistics.block_words
    return index.fragment_tags(order.min_leaf_words.resolve(block), order.block_words.resolve(block))
