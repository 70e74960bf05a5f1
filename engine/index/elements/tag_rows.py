"""Elements by tag, in the given documents of a segment.

The first lookup of a tag scans the tags of the segment and caches the rows: at most four bytes per element of the
segment and eight per document and tag. In a large segment, every lookup scans the requested documents only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.array_types import Rows
from engine.arrays import ranges
from engine.index.segment import Segment

# largest segment, in elements, whose tag lookups are cached
MOST_CACHED = 2**25


class TagRows:
    """Elements of one segment by tag; tags, documents and rows are numbered within the segment."""

    def __init__(self, segment: Segment) -> None:
        self._segment = segment
        self._cached: dict[int, tuple[NDArray[np.int32], Rows]] = {}

    def rows(self, tag: int, documents: Rows) -> Rows:
        """Return the elements of a tag in the documents (ascending), ascending."""
        first_row = self._segment.first_row
        if self._segment.n_elements > MOST_CACHED:
            return self._scan(tag, first_row[documents], first_row[documents + 1])
        if tag not in self._cached:
            found = np.flatnonzero(self._segment.elements.column("tag").all() == tag)
            self._cached[tag] = found.astype(np.int32), np.searchsorted(found, first_row)
        cached, borders = self._cached[tag]
        begins = borders.take(documents)
        return cached.take(ranges(begins, borders.take(documents + 1) - begins)).astype(np.int64)

    def _scan(self, tag: int, first: Rows, last: Rows) -> Rows:
        """Return the elements of a tag in documents with rows from first to last (exclusive)."""
        values = np.concatenate(self._segment.elements.column("tag").slices(first, last))
        places = np.flatnonzero(values == tag)
        begins = np.cumsum(last - first) - (last - first)
        counts = np.diff(np.searchsorted(places, begins), append=len(places))
        rows: Rows = places + np.repeat(first - begins, counts)
        return rows
