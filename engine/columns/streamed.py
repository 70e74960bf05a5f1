"""Columns and strings of a segment, read slice by slice for merging; slices do not stay in memory.

They are read like the spilled ones of a part (`engine.columns.spilled`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from engine.array_types import Array
from engine.columns import spilled
from engine.columns.ascending_column import AscendingColumn
from engine.columns.byte_column import ByteColumn
from engine.columns.checked_folder import CheckedFolder
from engine.columns.leaf_column import LeafColumn


class StreamedColumn:
    """A column of a segment, read slice by slice; `np.asarray` reads all of it.

    release: lets go of the pages of the files that a slice was read from.
    """

    def __init__(
        self,
        read: Callable[[int, int], Array],
        release: Callable[[], None],
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
    ) -> None:
        self._read, self._release = read, release
        self.shape, self.dtype = shape, dtype

    @classmethod
    def plain(cls, files: CheckedFolder, name: str, dtype: Any = None) -> StreamedColumn:
        """Return a column of numbers, of another number type if one is given."""
        column, file = files.column(name), files.file(f"{name}.npy")
        chosen = column.values.dtype if dtype is None else np.dtype(dtype)
        return cls(lambda a, b: column.slice(a, b).astype(chosen), file.release, column.values.shape, chosen)

    @classmethod
    def small(cls, files: CheckedFolder, name: str) -> StreamedColumn:
        """Return a column of mostly small numbers."""
        column = ByteColumn(files, name)
        dtype = column.dtype
        return cls(
            lambda a, b: column.slice(a, b).astype(dtype), _releasing(files, *column.files), (len(column),), dtype
        )

    @classmethod
    def ascending(cls, files: CheckedFolder, name: str) -> StreamedColumn:
        """Return a column of ascending numbers, as int64."""
        column = AscendingColumn(files, name)
        release = _releasing(files, name, f"{name}_carries")
        return cls(column.slice, release, (len(column),), np.dtype(np.int64))

    @classmethod
    def leaves(cls, files: CheckedFolder, column: LeafColumn) -> tuple[StreamedColumn, StreamedColumn]:
        """Return the rows and the term frequencies of leaf postings."""
        release = _releasing(files, *column.files)
        shape, (row_dtype, tf_dtype) = (len(column),), column.dtypes
        return (
            cls(lambda a, b: column.slice(a, b)[0], release, shape, row_dtype),
            cls(lambda a, b: column.slice(a, b)[1].astype(tf_dtype), release, shape, tf_dtype),
        )

    @classmethod
    def bytes_of(cls, files: CheckedFolder, name: str) -> StreamedColumn:
        """Return the bytes of a file."""
        file = files.file(name)

        def read(start: int, stop: int) -> Array:
            file.check(start, stop)
            return file.data[start:stop].copy()

        return cls(read, file.release, (len(file.data),), np.dtype(np.uint8))

    def after(self, first: int) -> StreamedColumn:
        """Return the column without its first rows."""
        shape = (len(self) - first, *self.shape[1:])
        return StreamedColumn(lambda a, b: self._read(a + first, b + first), self._release, shape, self.dtype)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice) -> Array:
        start, stop, _ = rows.indices(len(self))
        values = self._read(start, max(start, stop))
        self._release()
        return values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self[:] if dtype is None else self[:].astype(dtype)


class StreamedStrings(Sequence[bytes]):
    """Byte strings of a segment, read some at a time."""

    def __init__(self, files: CheckedFolder, name: str) -> None:
        self._offsets = StreamedColumn.plain(files, name, np.int64)
        self._blob = StreamedColumn.bytes_of(files, f"{name}.bin")

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __iter__(self) -> Iterator[bytes]:
        first = 0
        while first < len(self):
            piece = self.read(first, spilled.PIECE)
            yield from piece
            first += len(piece)

    def __getitem__(self, rows: Any) -> Any:
        if isinstance(rows, slice):
            start, stop, _ = rows.indices(len(self))
            return self._strings(start, stop)
        return self._strings(rows, rows + 1)[0]

    def read(self, first: int, most: int) -> list[bytes]:
        """Return up to `most` strings from number `first` on, of at most PIECE_BYTES, but at least one."""
        offsets = self._offsets[first : first + most + 1]
        n_strings = max(1, int(np.searchsorted(offsets, offsets[0] + spilled.PIECE_BYTES)))
        return self._strings(first, min(first + n_strings, len(self)))

    def _strings(self, start: int, stop: int) -> list[bytes]:
        offsets = self._offsets[start : stop + 1]
        data = self._blob[int(offsets[0]) : int(offsets[-1])].tobytes()
        return [data[a:b] for a, b in pairwise((offsets - offsets[0]).tolist())]


def _releasing(files: CheckedFolder, *names: str) -> Callable[[], None]:
    opened = [files.file(f"{name}.npy") for name in names]

    def release() -> None:
        for file in opened:
            file.release()

    return release
