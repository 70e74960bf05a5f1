"""Columns and strings in temporary files, written some at a time and read in pieces."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from io import FileIO
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from engine.array_types import Array

# Entries, and bytes of strings, that are read at a time.
PIECE, PIECE_BYTES = 1 << 17, 1 << 22


class SpilledColumn:
    """A column on disk, read slice by slice; `np.asarray` reads all of it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with path.open("rb") as file:
            np.lib.format.read_magic(file)
            self.shape, _, self.dtype = np.lib.format.read_array_header_1_0(file)
            self._offset = file.tell()

    @classmethod
    def raw(cls, path: Path, dtype: np.dtype[Any], shape: tuple[int, ...]) -> SpilledColumn:
        """Return the column in a file that has nothing but its numbers."""
        column = cls.__new__(cls)
        column._path, column.dtype, column.shape, column._offset = path, dtype, shape, 0
        return column

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice) -> Array:
        start, stop, _ = rows.indices(len(self))
        shape = max(stop - start, 0), *self.shape[1:]
        offset = self._offset + start * math.prod(shape[1:]) * self.dtype.itemsize
        data = _bytes_at(self._path, offset, math.prod(shape) * self.dtype.itemsize)
        return np.frombuffer(data, self.dtype).reshape(shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self[:] if dtype is None else self[:].astype(dtype)


class SpilledStrings:
    """Byte strings on disk: the strings in one file, their ends beside it."""

    def __init__(self, path: Path, offsets: SpilledColumn | None = None) -> None:
        self._path = path
        self._offsets = SpilledColumn(path.with_suffix(".npy")) if offsets is None else offsets

    @staticmethod
    def save(path: Path, strings: Iterable[bytes]) -> None:
        """Write the strings, for reading by an object of this class."""
        strings = list(strings)
        with path.open("wb") as file:
            file.write(b"".join(strings))
        np.save(path.with_suffix(".npy"), np.cumsum([0, *map(len, strings)], dtype=np.int64))

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __iter__(self) -> Iterator[bytes]:
        first = 0
        while first < len(self):
            piece = self.read(first, PIECE)
            yield from piece
            first += len(piece)

    def read(self, first: int, most: int) -> list[bytes]:
        """Return up to `most` strings from number `first` on, of at most PIECE_BYTES, but at least one."""
        offsets = self._offsets[first : first + most + 1]
        n_strings = max(1, int(np.searchsorted(offsets, offsets[0] + PIECE_BYTES)))
        ends = (offsets[: n_strings + 1] - offsets[0]).tolist()
        data = bytes(_bytes_at(self._path, int(offsets[0]), ends[-1]))
        return [data[start:stop] for start, stop in pairwise(ends)]


def _bytes_at(path: Path, offset: int, n_bytes: int) -> bytearray:
    """Return bytes of a file, a fifth of the time of `np.fromfile`; raises EOFError if there are fewer.

    The file is opened for each read: a build may have more parts than files can be open.
    """
    data = bytearray(n_bytes)
    left = memoryview(data)
    with FileIO(path) as file:
        file.seek(offset)
        while left:
            if not (n_read := file.readinto(left)):
                raise EOFError(f"{path}: ends {len(left):,} bytes early")
            left = left[n_read:]
    return data


class SpilledNames:
    """Names on disk, in UTF-8."""

    def __init__(self, path: Path) -> None:
        self._strings = SpilledStrings(path)

    def __len__(self) -> int:
        return len(self._strings)

    def __iter__(self) -> Iterator[str]:
        return map(bytes.decode, self._strings)


def read_strings(strings: Sequence[bytes] | SpilledStrings, first: int, most: int) -> list[bytes]:
    """Return the next strings from the given one on: at least one, at most `count`, and of bounded size."""
    read = getattr(strings, "read", None)  # of spilled and of streamed strings
    found: list[bytes] = list(strings[first : first + most]) if read is None else read(first, most)  # type: ignore[index]
    return found


def pieces(column: Any) -> Iterator[Array]:
    """Yield a column, in memory or on disk, in slices of up to PIECE rows."""
    for first in range(0, len(column), PIECE):
        yield column[first : first + PIECE]


# Strings that are collected before they are written.
STRINGS = 1 << 13


class ColumnSpill:
    """Writes a column of rows of one width."""

    def __init__(self, path: Path, dtype: np.dtype[Any], row_shape: tuple[int, ...] = ()) -> None:
        self._path, self._dtype, self._row_shape = path, dtype, row_shape
        self._n_rows = 0
        self._file: BinaryIO = path.open("wb")

    def append(self, rows: Array) -> None:
        """Append rows."""
        self._file.write(np.ascontiguousarray(rows, self._dtype).data)
        self._n_rows += len(rows)

    def finished(self) -> SpilledColumn:
        """Return the column, complete."""
        self._file.close()
        return SpilledColumn.raw(self._path, self._dtype, (self._n_rows, *self._row_shape))


class StringsSpill:
    """Writes byte strings."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("wb")
        self._ends = ColumnSpill(path.with_name(f"{path.name}-ends"), np.dtype(np.int64))
        self._ends.append(np.zeros(1, np.int64))
        self._n_bytes = 0

    def extend(self, strings: Iterable[bytes]) -> None:
        """Append strings."""
        block: list[bytes] = []
        for string in strings:
            block.append(string)
            if len(block) == STRINGS:
                self._write(block)
                block = []
        self._write(block)

    def _write(self, block: list[bytes]) -> None:
        self._file.write(b"".join(block))
        ends = np.cumsum(np.fromiter(map(len, block), np.int64, len(block))) + self._n_bytes
        self._n_bytes = int(ends[-1]) if len(ends) else self._n_bytes
        self._ends.append(ends)

    def finished(self) -> SpilledStrings:
        """Return the strings, complete."""
        self._file.close()
        return SpilledStrings(self._path, self._ends.finished())
