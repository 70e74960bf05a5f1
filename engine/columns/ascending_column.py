"""Columns of ascending numbers in one byte per entry: the low eight bits, and where the high bits change.

NAME           for each entry the low eight bits of its number
NAME_carries   entries at which the numbers pass a multiple of 256, ascending, repeated if they pass several; the high
               bits of an entry are the number of carries up to it
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Numbers, places_of
from engine.columns.checked_folder import CheckedColumn, CheckedFolder
from engine.columns.folder_writer import FolderWriter, GrowingColumnWriter, narrow, narrowest
from engine.kernels.table import compiled, native
from engine.threads import cached_property

LOW_BITS = 8
LOW = (1 << LOW_BITS) - 1
# log2 of the entries per block of the table of carries
BLOCK_BITS = 3
# entries per carry from which most blocks contain no carry
SPARSE = 32
# fewest entries of a lookup that uses the table of carries
MIN_TABLE_LOOKUP = 256
# a column is decoded whole and cached once 1/COPY_SHARE of its entries were read
COPY_SHARE = 8
# largest column, in entries of four bytes, that is cached whole
MOST_CACHED = 2**24


class AscendingColumnWriter:
    """Writes a column of ascending numbers, slice by slice."""

    def __init__(self, writer: FolderWriter, name: str) -> None:
        self._low = GrowingColumnWriter(writer, name, np.dtype("<u1"))
        self._carries = GrowingColumnWriter(writer, f"{name}_carries")
        self._done = self._above = 0

    def append(self, numbers: Numbers) -> None:
        """Append numbers, none below the last one."""
        above = numbers >> LOW_BITS
        steps = np.diff(above, prepend=self._above)
        stepping = places_of(steps)
        self._carries.append(np.repeat(stepping + self._done, steps[stepping]))
        self._low.append((numbers & LOW).astype(np.uint8))
        self._done += len(numbers)
        self._above = int(above[-1]) if len(above) else self._above

    def finish(self) -> None:
        """Close the columns."""
        self._low.finish()
        self._carries.finish(narrowest(self._done))


class AscendingColumn:
    """A column of ascending numbers; results are int64 unless stated otherwise."""

    def __init__(self, files: CheckedFolder, name: str) -> None:
        self._low: CheckedColumn = files.column(name)
        self._carries = files.column(f"{name}_carries").all()
        self._decoded: NDArray[Any] | None = None
        self._n_read = 0

    def __len__(self) -> int:
        return len(self._low)

    def take(self, places: Numbers) -> Numbers:
        """Return the numbers at the given entries."""
        if self._decoded is not None:
            return self._decoded.take(places).astype(np.int64)
        self._n_read += len(places)
        if self._n_read * COPY_SHARE > len(self) and len(self) <= MOST_CACHED:
            self._decoded = self.all()
        numbers = self._carries_up_to(places)
        numbers <<= LOW_BITS
        numbers |= self._low.take(places)
        return numbers

    def _carries_up_to(self, places: Numbers) -> Numbers:
        """Return the number of carries up to each entry; of many entries, C looks them up in a table."""
        is_sparse = len(places) >= MIN_TABLE_LOOKUP and len(self._carries) * SPARSE <= len(self)
        if is_sparse and self._carries.dtype == np.uint32:
            return self._carries_by_table(places)
        return self._carries_by_bisection(places)

    def _carries_by_bisection(self, places: Numbers) -> Numbers:
        found: Numbers = np.searchsorted(self._carries, places.astype(self._carries.dtype), side="right")
        return found

    @compiled(_carries_by_bisection)
    def _carries_by_table(self, places: Numbers) -> Numbers:
        counts = native.carries_up_to(self._carries, self._carries_before, BLOCK_BITS, places)
        return np.frombuffer(counts, np.int64)

    @cached_property
    def _carries_before(self) -> NDArray[np.int32]:
        """Number of carries up to the first entry of each block of entries, and up to the end."""
        n_blocks = (len(self) >> BLOCK_BITS) + 2
        block = (self._carries.astype(np.int64) + (1 << BLOCK_BITS) - 1) >> BLOCK_BITS
        return np.cumsum(np.bincount(block, minlength=n_blocks), dtype=np.int32)

    def neighbours(self, place: int) -> tuple[int, int]:
        """Return the number of an entry and that of the next one."""
        low, next_low = self._low.slice(place, place + 2).tolist()
        n_carries = bisect_right(self._carries, place)
        n_later = bisect_right(self._carries, place + 1, n_carries)
        return n_carries << LOW_BITS | low, n_later << LOW_BITS | next_low

    def slice(self, start: int, stop: int) -> Numbers:
        """Return the numbers of the entries from start to stop (exclusive)."""
        first, last = np.searchsorted(self._carries, np.array([start, stop], self._carries.dtype))
        steps = np.bincount(self._carries[first:last].astype(np.int64) - start, minlength=stop - start)
        numbers: Numbers = np.cumsum(steps, dtype=np.int64) + first
        numbers <<= LOW_BITS
        numbers |= self._low.slice(start, stop)
        return numbers

    def all(self) -> NDArray[Any]:
        """Return all numbers, in the narrowest dtype that fits them."""
        return narrow(self.slice(0, len(self)))

    def _rank_in_numpy(self, numbers: Numbers) -> Numbers:
        above = numbers >> LOW_BITS  # entries with these bits lie between two carries
        low, high = self._carry(above - 1), self._carry(above)
        searching = places_of(low < high)
        while searching.size:
            middle = (low[searching] + high[searching]) >> 1
            is_below = self._low.take(middle) < (numbers[searching] & LOW)
            low[searching[is_below]] = middle[is_below] + 1
            high[searching[~is_below]] = middle[~is_below]
            searching = searching[low[searching] < high[searching]]
        return low

    @compiled(_rank_in_numpy)
    def rank(self, numbers: Numbers) -> Numbers:
        """Return the number of entries that are less than each number."""
        if self._low.has_unchecked:
            return self._rank_in_numpy(numbers)
        return np.frombuffer(native.ascending_ranks(self._low.values, self._carries, numbers), np.int64)

    def _carry(self, numbers: Numbers) -> Numbers:
        """Return carries by number; 0 before the first one, the number of entries after the last one."""
        n_carries = len(self._carries)
        carries = np.where(numbers < 0, 0, len(self))
        known = (numbers >= 0) & (numbers < n_carries)
        carries[known] = self._carries[numbers[known]]
        return carries
