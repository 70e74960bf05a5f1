"""Files with checksums: the checksum of each block is verified when the block is first read.

`engine.columns.checked_folder` opens them, as `engine.columns.checksum_writer` wrote them.
"""

from __future__ import annotations

import errno
import os
import re
import sys
import zlib
from collections.abc import Sequence
from mmap import ACCESS_READ, MADV_DONTNEED, mmap
from pathlib import Path
from threading import Lock
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from engine.array_types import Array
from engine.arrays import distinct, places_of
from engine.columns.checksum_writer import BLOCK, BLOCK_BITS
from engine.errors import INDEX_AGAIN, FoxirError, IndexFormatError
from engine.system.files import open_regular

# Largest file, in bytes, that is read whole; a larger one is mapped into memory, and stays open on most Pythons.
READ_WHOLE = BLOCK
# Fruitless lookups of unchecked blocks that cost as much as one checksum.
FRUITLESS = 2
# Upper bound of the bytes of a column's header.
HEADER = 512

# header of a column file: one array of little-endian numbers, on every platform
_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '([|][ui]1|<[uif][248])', 'fortran_order': False, "
    rb"'shape': \((\d{1,18}),(?: (\d{1,18}))?\), \} *\n",
    re.DOTALL,
)


def _mapped(file: BinaryIO) -> Array:
    """Return the bytes of a file that is not empty, mapped into memory."""
    if sys.version_info >= (3, 13):
        return np.frombuffer(mmap(file.fileno(), 0, access=ACCESS_READ, trackfd=False), np.uint8)
    return np.frombuffer(mmap(file.fileno(), 0, access=ACCESS_READ), np.uint8)  # has a descriptor of its own


class CheckedFile:
    """A file whose blocks are verified on first use: memory-mapped, or read whole if it is small."""

    def __init__(self, path: Path, size: int, checksums: Sequence[int]) -> None:
        self.path = path
        self._checksums = checksums
        self._unchecked = np.ones(len(checksums), np.bool_)
        self._n_unchecked = len(checksums)
        self._n_fruitless = 0  # lookups that found no unchecked block
        self._lock = Lock()
        try:
            with open_regular(path) as file:
                found = os.fstat(file.fileno()).st_size
                if found != size:
                    raise IndexFormatError(
                        f"{path}: {found:,} bytes where {size:,} were written: the file is damaged, {INDEX_AGAIN}."
                    )
                self.data = _mapped(file) if size > READ_WHOLE else np.frombuffer(file.read(), np.uint8)
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                raise FoxirError(
                    f"{path}: cannot be opened, for too many files are open: raise the limit (`ulimit -n 1024`), or "
                    "let go of other indexes first."
                ) from None
            if error.errno == errno.EACCES:
                raise IndexFormatError(f"{path}: cannot be read: {error.strerror}.") from None
            raise IndexFormatError(f"{path}: missing from the index ({error.strerror}): {INDEX_AGAIN}.") from None

    def check(self, start: int, stop: int) -> None:
        """Check the blocks that contain the bytes from start to stop (exclusive)."""
        if self._n_unchecked and stop > start:
            first, last = start >> BLOCK_BITS, (stop - 1) >> BLOCK_BITS
            if first < last or self._unchecked[first]:
                self._check_blocks(first + places_of(self._unchecked[first : last + 1]))

    def release(self) -> None:
        """Release the pages in memory; they are read from the disk again when they are needed."""
        mapped = getattr(self.data.base, "obj", None)  # behind a memoryview
        if isinstance(mapped, mmap):
            mapped.madvise(MADV_DONTNEED)

    def check_ranges(self, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> None:
        """Check the blocks that contain the bytes of ranges, none of them empty."""
        if self._n_unchecked and starts.size:
            first = starts >> BLOCK_BITS
            counts = ((stops - 1) >> BLOCK_BITS) - first + 1
            blocks = np.arange(int(counts.sum())) + np.repeat(first - np.cumsum(counts) + counts, counts)
            self._check_wanted(blocks[self._unchecked[blocks]])

    @property
    def has_unchecked(self) -> bool:
        """Whether a block of the file has not been checked yet."""
        return self._n_unchecked > 0

    def check_places(self, places: NDArray[np.int64]) -> None:
        """Check the blocks that contain the bytes at the given places."""
        if self._n_unchecked and places.size:
            blocks = places >> BLOCK_BITS
            self._check_wanted(blocks[self._unchecked[blocks]])

    def _check_wanted(self, wanted: NDArray[np.int64]) -> None:
        """Check the unchecked blocks of a lookup, or all blocks of the file once that is no slower."""
        if wanted.size:
            self._check_blocks(distinct(wanted))
            return
        self._n_fruitless += 1
        if self._n_fruitless > FRUITLESS * self._n_unchecked:
            self._check_blocks(places_of(self._unchecked))

    def _check_blocks(self, blocks: NDArray[np.int64]) -> None:
        for block in blocks.tolist():
            if zlib.crc32(self.data[block * BLOCK : (block + 1) * BLOCK].data) != self._checksums[block]:
                raise IndexFormatError(
                    f"{self.path}: block {block} (bytes {block * BLOCK:,} and on) does not match its checksum: the "
                    f"file is damaged. Restore it from a copy, or {INDEX_AGAIN}."
                )
        with self._lock:  # counted again, since several threads may have checked the same block
            self._unchecked[blocks] = False
            self._n_unchecked = int(np.count_nonzero(self._unchecked))


class CheckedColumn:
    """A column of a checked file: read by slice or by row numbers, never as a whole by accident."""

    def __init__(self, file: CheckedFile, kinds: str = "uif") -> None:
        self._file = file
        file.check(0, min(HEADER, len(file.data)))
        head = _HEADER.match(file.data[:HEADER].tobytes())
        if head is None or chr(head[1][1]) not in kinds:
            raise IndexFormatError(f"{file.path}: not a column of numbers as foxir writes it: {INDEX_AGAIN}.")
        self._offset = head.end()
        shape = [int(size) for size in (head[2], head[3]) if size is not None]
        try:
            self.values: Array = file.data[self._offset :].view(head[1].decode()).reshape(shape)
        except (ValueError, TypeError) as error:
            raise IndexFormatError(f"{file.path}: not a column of numbers ({error}): {INDEX_AGAIN}.") from None
        self._stride = self.values.itemsize * (self.values.shape[1] if self.values.ndim == 2 else 1)

    def __len__(self) -> int:
        return len(self.values)

    def slice(self, start: int, stop: int) -> Array:
        """Return the values from start to stop (exclusive), a view."""
        self._file.check(self._offset + start * self._stride, self._offset + stop * self._stride)
        return self.values[start:stop]

    def slices(self, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> list[Array]:
        """Return the values of several ranges of rows, none of them empty, as views."""
        self._file.check_ranges(self._offset + starts * self._stride, self._offset + stops * self._stride)
        values = self.values
        return [values[start:stop] for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]

    def check_ranges(self, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> None:
        """Check several ranges of rows, none of them empty, before they are read from `values`."""
        if self._file.has_unchecked:
            self._file.check_ranges(self._offset + starts * self._stride, self._offset + stops * self._stride)

    @property
    def has_unchecked(self) -> bool:
        """Whether a block of the column has not been checked yet."""
        return self._file.has_unchecked

    def take(self, rows: NDArray[np.int64]) -> Array:
        """Return the values at the given rows."""
        if self._file.has_unchecked:
            self._file.check_places(rows * self._stride + self._offset)
        return self.values.take(rows, axis=0)

    def all(self) -> Array:
        """Return all values, a view."""
        return self.slice(0, len(self.values))
