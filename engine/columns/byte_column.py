"""Columns of mostly small numbers: one byte per entry, and a separate list of the few large numbers.

NAME               for each entry its number, or LARGE
NAME_large_places  entries whose number is stored as LARGE, ascending
NAME_large         their numbers
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Array, places_of
from engine.columns.checked_folder import CheckedFolder
from engine.columns.folder_writer import FolderWriter, GrowingColumnWriter
from engine.query_limits import check_time

LARGE = 255
# Numbers that are taken before a query looks at the time again.
AT_ONCE = 1 << 18


class ByteColumnWriter:
    """Writes a column of mostly small numbers, slice by slice."""

    def __init__(self, writer: FolderWriter, name: str, n_entries: int) -> None:
        self._writer = writer
        self._file = writer.start_column(name, np.dtype("<u1"), (n_entries,))
        self._places = GrowingColumnWriter(writer, f"{name}_large_places")
        self._large = GrowingColumnWriter(writer, f"{name}_large")
        self._done = 0

    def append(self, numbers: Array) -> None:
        """Append numbers, none below 0."""
        large = places_of(numbers >= LARGE)
        self._places.append(large + self._done)
        self._large.append(numbers[large])
        self._file.append(np.minimum(numbers, LARGE).astype(np.uint8))
        self._done += len(numbers)

    def finish(self) -> None:
        """Close the columns."""
        self._writer.finish(self._file)
        self._places.finish()
        self._large.finish()


class ByteColumn:
    """A column of mostly small numbers; results are unsigned, in the narrowest dtype for the requested entries.

    files: names of its columns in the folder.
    """

    def __init__(self, files: CheckedFolder, name: str) -> None:
        self.files = (name, f"{name}_large_places", f"{name}_large")
        self._small, self._places, self._large = map(files.column, self.files)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Number type that fits all numbers."""
        return np.promote_types(np.uint8, self._large.values.dtype) if len(self._large) else np.dtype(np.uint8)

    def __len__(self) -> int:
        return len(self._small)

    def take(self, places: NDArray[np.int64]) -> Array:
        """Return the numbers at the given entries; raises QueryTimeError where the time of a query is over."""
        check_time()
        if len(places) > AT_ONCE:
            pieces = np.split(places, range(AT_ONCE, len(places), AT_ONCE))
            return np.concatenate([self.take(piece) for piece in pieces])
        small = self._small.take(places)
        large = places_of(small == LARGE)
        if not large.size:
            return small
        check_time()
        where = np.searchsorted(self._places.all(), places[large].astype(self._places.values.dtype))
        return self._widened(small, large, self._large.take(where))

    @property
    def whole(self) -> tuple[Array, Array, Array] | None:
        """Its columns, if all of their blocks are checked; else None."""
        if any(column.has_unchecked for column in (self._small, self._places, self._large)):
            return None
        return self._small.values, self._places.values, self._large.values

    def checked(self, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> tuple[Array, Array, Array]:
        """Return its columns, after a check of ranges of entries, none of them empty."""
        self._small.check_ranges(starts, stops)
        return self._small.values, self._places.all(), self._large.all()

    def slice(self, start: int, stop: int) -> Array:
        """Return the numbers of the entries from start to stop (exclusive)."""
        small = self._small.slice(start, stop)
        if not (small == LARGE).any():
            return small
        places = self._places.all()
        first, last = bisect_left(places, start), bisect_left(places, stop)  # searchsorted would copy the column
        return self._widened(small, places[first:last].astype(np.int64) - start, self._large.slice(first, last))

    def all(self) -> Array:
        """Return the numbers of all entries."""
        return self.slice(0, len(self._small))

    def _widened(self, small: Array, where: NDArray[np.int64], large: Array) -> Array:
        numbers: Array = small.astype(np.promote_types(small.dtype, large.dtype))
        numbers[where] = large
        return numbers
