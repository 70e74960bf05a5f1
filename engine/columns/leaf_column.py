"""Columns of leaf postings: the row of each leaf in its document and the term's frequency in it, in one number.

leaf                 row << n_bits | min(tf, 2^n_bits) - 1, where the rows of the longest document leave n_bits free
leaf_large_places    entries whose frequency is at least 2^n_bits, ascending
leaf_large           their frequencies

Where fewer than LEAST_BITS are free, `leaf` is the row, and the frequencies are the byte column `leaf_tf`.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Array, places_of
from engine.columns.byte_column import ByteColumn, ByteColumnWriter
from engine.columns.checked_folder import CheckedFolder
from engine.columns.folder_writer import FolderWriter, GrowingColumnWriter, narrowest

Places = NDArray[np.int64]

# Fewest bits of a frequency: with one, a sixth of the frequencies would be too large.
LEAST_BITS = 2


def free_bits(most_rows: int) -> int:
    """Return the bits that the largest row leaves for a frequency in one number; 0 if they are too few."""
    largest = max(most_rows - 1, 0)
    free = 8 * narrowest(largest).itemsize - largest.bit_length()
    return free if free >= LEAST_BITS else 0


class LeafColumnWriter:
    """Writes rows and frequencies of leaf postings, slice by slice."""

    def __init__(self, writer: FolderWriter, n_entries: int, most_rows: int) -> None:
        """Begin the columns; `most_rows` is the number of elements of the longest document."""
        self._writer = writer
        self._bits = free_bits(most_rows)
        self._dtype = narrowest(max(most_rows - 1, 0))
        self._file = writer.start_column("leaf", self._dtype, (n_entries,))
        self._tf = None if self._bits else ByteColumnWriter(writer, "leaf_tf", n_entries)
        self._places, self._large = (GrowingColumnWriter(writer, f"leaf_{name}") for name in ("large_places", "large"))
        self._done = 0

    def append(self, rows: Array, tf: Array) -> None:
        """Append rows of leaves, counted from the roots of their documents, and frequencies, none below 1."""
        if self._tf is not None:
            self._file.append(rows.astype(self._dtype, copy=False))
            self._tf.append(tf)
            return
        most = 1 << self._bits
        tf = tf.astype(np.int64)
        large = places_of(tf >= most)
        self._places.append(large + self._done)
        self._large.append(tf[large])
        packed = rows.astype(self._dtype) << self._bits
        packed |= (np.minimum(tf, most) - 1).astype(self._dtype)
        self._file.append(packed)
        self._done += len(rows)

    def finish(self) -> None:
        """Close the columns."""
        self._writer.finish(self._file)
        for file in (self._places, self._large) if self._tf is None else (self._tf,):
            file.finish()


class LeafColumn:
    """The rows and frequencies of leaf postings; rows are counted from the roots of their documents."""

    def __init__(self, files: CheckedFolder, most_rows: int) -> None:
        """Open the columns; `most_rows` is the number of elements of the longest document."""
        self._bits = free_bits(most_rows)
        self._packed = files.column("leaf")
        self._tf = None if self._bits else ByteColumn(files, "leaf_tf")
        self.files: tuple[str, ...] = ("leaf", "leaf_large_places", "leaf_large")
        if self._tf is not None:
            self.files = ("leaf", *self._tf.files)
        else:
            self._places, self._large = (files.column(name) for name in self.files[1:])

    @property
    def dtypes(self) -> tuple[np.dtype[Any], np.dtype[Any]]:
        """Number types that fit all rows, and all frequencies."""
        rows = self._packed.values.dtype
        if self._tf is not None:
            return rows, self._tf.dtype
        return rows, np.promote_types(narrowest(1 << self._bits), self._large.values.dtype)

    def __len__(self) -> int:
        return len(self._packed)

    def take(self, places: Places) -> tuple[Array, Places]:
        """Return the rows, in their narrow dtype, and the frequencies at the given entries."""
        packed = self._packed.take(places)
        if self._tf is not None:
            return packed, self._tf.take(places).astype(np.int64)
        tf, large = self._frequencies(packed)
        if large.size:
            tf[large] = self.large(places[large])
        return packed >> self._bits, tf

    @property
    def has_unchecked(self) -> bool:
        """Whether checksums of rows and frequencies have not been verified yet."""
        return self._packed.has_unchecked

    def check_ranges(self, begins: Places, counts: Places) -> None:
        """Verify the checksums of the entries in ranges, which may be empty."""
        is_any = counts > 0
        first = begins[is_any]
        self._packed.check_ranges(first, first + counts[is_any])

    def packed(self) -> tuple[Array, int]:
        """Return the verified column of rows and frequencies, with the bits of these, 0 where it has rows alone."""
        return self._packed.values, self._bits

    def large(self, places: Places) -> Places:
        """Return the frequencies at those of the entries whose frequency is too large to be stored with the row.

        Without bits for frequencies, that is all of them.
        """
        if self._tf is not None:
            return self._tf.take(places).astype(np.int64)
        where = np.searchsorted(self._places.all(), places.astype(self._places.values.dtype))
        return self._large.take(where).astype(np.int64)

    def slice(self, start: int, stop: int) -> tuple[Array, Places]:
        """Return the rows, in their narrow dtype, and the frequencies of the entries from start to stop (exclusive)."""
        packed = self._packed.slice(start, stop)
        if self._tf is not None:
            return packed, self._tf.slice(start, stop).astype(np.int64)
        tf, large = self._frequencies(packed)
        if large.size:
            known = self._places.all()
            tf[large] = self._large.slice(bisect_left(known, start), bisect_left(known, stop))
        return packed >> self._bits, tf

    def all(self) -> tuple[Array, Places]:
        """Return the rows, in their narrow dtype, and the frequencies of all entries."""
        return self.slice(0, len(self))

    def _frequencies(self, packed: Array) -> tuple[Places, Places]:
        """Return the frequencies in packed numbers, and the places of those that are stored apart."""
        most = 1 << self._bits
        tf = (packed & (most - 1)).astype(np.int64)
        tf += 1
        return tf, places_of(tf == most)
