"""Columns of ascending numbers, a byte each: the low eight bits of every number, and where the others step up.

NAME           an entry: the low eight bits of its number
NAME_carries   ascending: the entries at which the numbers pass the next multiple of 256, repeated where several are
               passed; so the bits above the low eight are the number of carries up to the entry
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.index.files import CheckedFolder, Column
from engine.index.writing import FolderWriter, narrow, narrowest

Numbers = NDArray[np.int64]

LOW_BITS = 8
LOW = (1 << LOW_BITS) - 1
BLOCK_BITS = 3  # entries of a block share a place in a table of carries
SPARSE = 32  # entries a carry from which on most blocks have none
WORTH_A_TABLE = 256  # entries that are asked for in one go
WORTH_A_COPY = 8  # a column is kept whole once one entry in so many was asked for
MOST_KEPT = 2**24  # entries of a column that is kept whole, four bytes each


class AscendingWriter:
    """Writes a column of ascending numbers, slice by slice."""

    def __init__(self, writer: FolderWriter, name: str, n_entries: int) -> None:
        self._writer = writer
        self._name = name
        self._n_entries = n_entries
        self._file = writer.start_column(name, np.dtype("<u1"), (n_entries,))
        self._carries: list[Numbers] = [np.empty(0, np.int64)]
        self._done = self._above = 0

    def append(self, numbers: Numbers) -> None:
        """Append numbers, none below the last one."""
        above = numbers >> LOW_BITS
        steps = np.diff(above, prepend=self._above)
        stepping = np.flatnonzero(steps)
        self._carries.append(np.repeat(stepping + self._done, steps[stepping]))
        self._file.append((numbers & LOW).astype(np.uint8))
        self._done += len(numbers)
        self._above = int(above[-1]) if len(above) else self._above

    def finish(self) -> None:
        """Close the columns."""
        self._writer.finish(self._file)
        carries = np.concatenate(self._carries).astype(narrowest(self._n_entries))
        self._writer.column(f"{self._name}_carries", carries)


class Ascending:
    """A column of ascending numbers; every result is int64 where nothing else is said."""

    def __init__(self, files: CheckedFolder, name: str) -> None:
        self._low: Column = files.column(name)
        self._carries = files.column(f"{name}_carries").all()
        self._whole: NDArray[Any] | None = None
        self._n_asked = 0

    def __len__(self) -> int:
        return len(self._low)

    def take(self, places: Numbers) -> Numbers:
        """Return the numbers of some entries."""
        if self._whole is not None:
            return self._whole.take(places).astype(np.int64)
        self._n_asked += len(places)
        if self._n_asked * WORTH_A_COPY > len(self) and len(self) <= MOST_KEPT:
            self._whole = self.all()
        if len(places) < WORTH_A_TABLE or len(self._carries) * SPARSE > len(self):
            numbers = self._carries_up_to(places)
        else:
            block = places >> BLOCK_BITS
            numbers = self._carries_before[block].astype(np.int64)
            n_inside = self._carries_before[block + 1] - numbers
            stepping = np.flatnonzero(n_inside != 0)
            is_passed = self._carries[numbers[stepping]] <= places[stepping]
            numbers[stepping] += is_passed
            searched = stepping[is_passed & (n_inside[stepping] > 1)]
            numbers[searched] = self._carries_up_to(places[searched])
        numbers <<= LOW_BITS
        numbers |= self._low.take(places)
        return numbers

    def _carries_up_to(self, places: Numbers) -> Numbers:
        found: Numbers = np.searchsorted(self._carries, places.astype(self._carries.dtype), side="right")
        return found

    @cached_property
    def _carries_before(self) -> NDArray[np.int32]:
        """How many carries there are up to the first entry of each block of entries, and behind the last one."""
        n_blocks = (len(self) >> BLOCK_BITS) + 2
        block = (self._carries.astype(np.int64) + (1 << BLOCK_BITS) - 1) >> BLOCK_BITS
        return np.cumsum(np.bincount(block, minlength=n_blocks), dtype=np.int32)

    def slice(self, start: int, stop: int) -> Numbers:
        """Return the numbers of the entries from start to stop (exclusive)."""
        first, last = np.searchsorted(self._carries, np.array([start, stop], self._carries.dtype))
        steps = np.bincount(self._carries[first:last].astype(np.int64) - start, minlength=stop - start)
        numbers: Numbers = np.cumsum(steps, dtype=np.int64) + first
        numbers <<= LOW_BITS
        numbers |= self._low.slice(start, stop)
        return numbers

    def all(self) -> NDArray[Any]:
        """Return all numbers, in the narrowest dtype that holds them."""
        return narrow(self.slice(0, len(self)))

    def steps(self) -> tuple[NDArray[np.uint8], Numbers, Numbers]:
        """Return how much each number is above the one before it, modulo 256 (quick to have), shape (n - 1,).

        Then the places, ascending, at which that may not be the whole difference, and the whole differences there.
        """
        low = self._low.all()
        carries = self._carries[np.searchsorted(self._carries, 1) :].astype(np.int64) - 1
        is_first = np.ones(len(carries), np.bool_)
        is_first[1:] = carries[1:] != carries[:-1]
        first = np.flatnonzero(is_first)
        places = carries[first]
        passed = np.diff(np.append(first, len(carries)))
        whole = (passed << LOW_BITS) + low[places + 1].astype(np.int64) - low[places].astype(np.int64)
        return np.diff(low), places, whole

    def rank(self, numbers: Numbers) -> Numbers:
        """Return how many entries lie below each number."""
        above = numbers >> LOW_BITS  # entries with these bits lie between two carries
        low, high = self._carry(above - 1), self._carry(above)
        searching = np.flatnonzero(low < high)
        while searching.size:
            middle = (low[searching] + high[searching]) >> 1
            is_below = self._low.take(middle) < (numbers[searching] & LOW)
            low[searching[is_below]] = middle[is_below] + 1
            high[searching[~is_below]] = middle[~is_below]
            searching = searching[low[searching] < high[searching]]
        return low

    def _carry(self, numbers: Numbers) -> Numbers:
        """Return carries by number; before the first one is 0, behind the last one the number of entries."""
        n_carries = len(self._carries)
        carries = np.where(numbers < 0, 0, len(self))
        known = (numbers >= 0) & (numbers < n_carries)
        carries[known] = self._carries[numbers[known]]
        return carries
