"""Columns of byte strings: one file of bytes, and a column of offsets."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from operator import eq, lt
from types import ModuleType
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.array_types import Array
from engine.arrays import places_of, ranges
from engine.columns.checked_files import CheckedFile

# A column with at most so many strings for each one that is looked for is read as a whole, so many at a time.
READ_FOR_EACH, AT_A_TIME = 64, 2**16
# Of the hash table: no text can be written for it.
SEED = int.from_bytes(os.urandom(8), "little")


class Offsets(Protocol):
    """A column of the offsets of strings, and of the end of the last one."""

    def __len__(self) -> int: ...

    def slice(self, start: int, stop: int, /) -> Array:
        """Return the numbers from start to stop (exclusive)."""

    def take(self, rows: NDArray[np.int64], /) -> Array:
        """Return the numbers at the given rows."""

    def all(self) -> Array:
        """Return all numbers."""


class Strings:
    """A column of byte strings; where they are sorted, `find` looks one up by bisection."""

    def __init__(self, offsets: Offsets, blob: CheckedFile) -> None:
        self._offsets = offsets
        self._blob = blob

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, row: int) -> bytes:
        return self.view(row).tobytes()

    def view(self, row: int) -> NDArray[np.uint8]:
        """Return the bytes of a string, without a copy."""
        start, stop = self._offsets.slice(row, row + 2).tolist()
        self._blob.check(start, stop)
        found: NDArray[np.uint8] = self._blob.data[start:stop]
        return found

    def take(self, rows: NDArray[np.int64], longest: int | None = None) -> list[bytes]:
        """Return the strings at the given rows, at most their first `longest` bytes."""
        starts, stops = (self._offsets.take(places).astype(np.int64) for places in (rows, rows + 1))
        if longest is not None:
            stops = np.minimum(stops, starts + longest)
        is_some = stops > starts
        self._blob.check_ranges(starts[is_some], stops[is_some])
        joined = self._blob.data[ranges(starts, stops - starts)].tobytes()
        ends = np.cumsum(stops - starts)
        return [joined[a:b] for a, b in zip((ends - stops + starts).tolist(), ends.tolist(), strict=True)]

    def all(self) -> list[bytes]:
        """Return all strings."""
        offsets = self._offsets.all().tolist()
        self._blob.check(0, offsets[-1])
        blob = self._blob.data.tobytes()
        return [blob[a:b] for a, b in pairwise(offsets)]

    def range(self, start: int, stop: int) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Return the offsets of the strings from start to stop (exclusive) with the end of the last, and the bytes."""
        offsets = self._offsets.slice(start, stop + 1).astype(np.int64)
        self._blob.check(int(offsets[0]), int(offsets[-1]))
        return offsets - offsets[0], self._blob.data[offsets[0] : offsets[-1]]

    def find(self, wanted: bytes) -> int:
        """Return the row of a string in a sorted column, or `-row - 1` with its insertion row if it is missing."""
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self.view(middle)[: len(wanted)].tobytes() < wanted:
                low = middle + 1
            else:
                high = middle
        is_found = low < len(self) and len(self.view(low)) == len(wanted) and self[low] == wanted
        return low if is_found else -low - 1

    def find_each(self, wanted: Sequence[bytes]) -> NDArray[np.int64]:
        """Return the row of each distinct string in a sorted column, -1 of a missing one."""
        if kernels.native is not None and wanted and len(self) <= READ_FOR_EACH * len(wanted):
            return self._found_by_kernel(kernels.native, wanted)
        return self._found_by_bisection(wanted)

    def _found_by_kernel(self, native: ModuleType, wanted: Sequence[bytes]) -> NDArray[np.int64]:
        """Return the result of `find_each`: all strings are looked up in a hash table of the wanted ones."""
        ends = np.cumsum([len(string) for string in wanted], dtype=np.int64)
        slices = np.frombuffer(b"".join(wanted), np.uint8), np.append(0, ends[:-1]), ends
        slots = np.frombuffer(native.slice_slots(*slices, 1 << (2 * len(wanted)).bit_length(), SEED), np.int32)
        rows = np.full(len(wanted), -1)
        for start in range(0, len(self), AT_A_TIME):
            offsets, encoded = self.range(start, min(start + AT_A_TIME, len(self)))
            found = native.known_slices(encoded, offsets[:-1], offsets[1:], *slices, slots, SEED)
            numbers = np.frombuffer(found, np.int64)
            places = places_of(numbers >= 0)
            rows[numbers[places]] = places + start
        return rows

    def _found_by_bisection(self, wanted: Sequence[bytes]) -> NDArray[np.int64]:
        """Return the result of `find_each`: one bisection for all strings.

        Of a string, one byte more than the longest wanted one has decides how they compare.
        """
        enough = max(map(len, wanted), default=0) + 1
        strings = np.empty(len(wanted), object)
        strings[:] = wanted
        low, high = np.zeros(len(wanted), np.int64), np.full(len(wanted), len(self))
        left = np.arange(len(wanted)) if len(self) else np.empty(0, np.int64)
        while left.size:
            middle = (low[left] + high[left]) // 2
            is_below = np.fromiter(map(lt, self.take(middle, enough), strings[left]), np.bool_, len(left))
            low[left[is_below]] = middle[is_below] + 1
            high[left[~is_below]] = middle[~is_below]
            left = left[low[left] < high[left]]
        inside = np.flatnonzero(low < len(self))
        is_found = np.fromiter(map(eq, self.take(low[inside], enough), strings[inside]), np.bool_, len(inside))
        rows = np.full(len(wanted), -1)
        rows[inside[is_found]] = low[inside[is_found]]
        return rows
