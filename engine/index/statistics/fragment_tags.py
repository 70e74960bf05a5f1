"""Fragments of text, such as cells of a table or names in a reference: by what elements of a tag usually contain.

The elements of a tag contain fragments if their leaves are usually shorter than `min_leaf_words`. They are fragments
themselves if they are usually shorter than `block_words`, too: rows and cells of a table, but no table, and the lines
of a poem, but not its stanzas. So are groups of rows (`Profile.row_group_tags`), even long ones: the names of their
columns may stand outside them. No tables are, nor lists of terms (`TERM_LISTS`).
"""

from __future__ import annotations

import numpy as np

from engine.arrays import Mask, read_only
from engine.collection.profiles.profile import TERM_LISTS, Profile
from engine.index.elements.element_store import Elements
from engine.index.statistics.tag_sums import TagStatistics
from engine.records import NamedTuple


class FragmentTags(NamedTuple):
    """By tag number: whether the elements of the tag usually contain fragments, and whether they are fragments."""

    contain_fragments: Mask
    are_fragments: Mask


def fragment_tags(
    elements: Elements, usual: TagStatistics, profile: Profile, shortest: float, longest: float
) -> FragmentTags:
    """Return which tags contain fragments, and which are fragments; none where the shortest leaf has 0 words.

    Args:
        shortest: words of a leaf that is no fragment; longest: words from which on an element is none.
    """
    if shortest <= 0:
        none = read_only(np.zeros(len(elements.tags), np.bool_))
        return FragmentTags(none, none)
    contain_fragments = usual.leaf_words < shortest
    are_short = contain_fragments & (usual.mean_words < longest)
    are_whole, are_groups = map(elements.is_tag, (profile.table_tags | TERM_LISTS, profile.row_group_tags))
    return FragmentTags(read_only(contain_fragments), read_only(are_short & ~are_whole | are_groups))
