"""The elements of a tag in some documents of a segment.

The tags of a segment are looked through once for each tag that is asked for, and what is found is kept: four bytes an
element at most. Of a large segment, the tags of the documents that are asked for are looked through every time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.index.ranges import ranges
from engine.index.segment import Segment

Rows = NDArray[np.int64]

MOST_KEPT = 2**24
"""So many elements may a segment have whose tags are kept."""


class TagRows:
    """The elements of one segment by tag; tags, documents and rows are the segment's own numbers."""

    def __init__(self, segment: Segment) -> None:
        self._segment = segment
        self._kept: dict[int, tuple[NDArray[np.int32], Rows]] = {}

    def rows(self, tag: int, documents: Rows) -> Rows:
        """Return the elements of a tag in some documents (ascending), ascending."""
        first_row = self._segment.first_row
        if self._segment.n_elements > MOST_KEPT:
            return self._look_through(tag, first_row[documents], first_row[documents + 1])
        if tag not in self._kept:
            found = np.flatnonzero(self._segment.elements.column("tag").all() == tag)
            self._kept[tag] = found.astype(np.int32), np.searchsorted(found, first_row)
        kept, borders = self._kept[tag]
        begins = borders.take(documents)
        return kept.take(ranges(begins, borders.take(documents + 1) - begins)).astype(np.int64)

    def _look_through(self, tag: int, first: Rows, last: Rows) -> Rows:
        """Return the elements of a tag that are numbered from first to last (exclusive) of each document."""
        values = np.concatenate(self._segment.elements.column("tag").slices(first, last))
        places = np.flatnonzero(values == tag)
        begins = np.cumsum(last - first) - (last - first)
        counts = np.diff(np.searchsorted(places, begins), append=len(places))
        rows: Rows = places + np.repeat(first - begins, counts)
        return rows
