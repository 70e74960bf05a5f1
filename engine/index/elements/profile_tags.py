"""Which elements have tags that the profile of their document names, such as those of inline elements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.array_types import Mask, Rows
from engine.arrays import places_of
from engine.index.segment import Segment


class ProfileTags:
    """The tags of one kind in one segment. Tags of roots do not count: a root is never inline."""

    def __init__(self, segment: Segment, members: Sequence[frozenset[str]]) -> None:
        """Make the table of tags; `members` are those that each of the segment's profiles names."""
        self._segment = segment
        self._table = np.array([[tag in named for tag in segment.tags] for named in members], np.bool_)
        # Per tag, whether any profile names it.
        self.in_any_profile: Mask = np.asarray(self._table.any(axis=0))
        self.is_empty = not self.in_any_profile.any()

    def include(self, local: Rows) -> Mask:
        """Return which elements of the segment, given as rows within it, have one of the tags."""
        column = self._segment.elements.column
        tags = column("tag").take(local)
        found: Mask = self.in_any_profile[tags]
        places = places_of(found)
        found[places] = self._segment.parents.take(local[places]) > 0
        if len(self._table) > 1:
            documents = np.searchsorted(self._segment.first_row, local[places], side="right") - 1
            profiles = column("profile").take(documents)
            found[places] &= self._table[profiles, tags[places]]
        return found
