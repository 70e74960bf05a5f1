"""Columns and strings on disk that are read slice by slice: of a segment for merging, or spilled while one is made.

Slices do not stay in memory. Spilled columns and strings are temporary files, written some at a time. Sorted
vocabularies are joined range by range, so that only the terms of one range are in memory.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import FileIO
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Array
from engine.columns.ascending_column import AscendingColumn
from engine.columns.byte_column import ByteColumn
from engine.columns.checked_folder import CheckedFolder
from engine.columns.leaf_column import LeafColumn
from engine.records import NamedTuple

# Entries, and bytes of strings, that are read at a time.
PIECE, PIECE_BYTES = 1 << 17, 1 << 22
# Strings that are collected before they are written.
STRINGS = 1 << 13


class SlicedColumn:
    """A column on disk, read slice by slice; `np.asarray` reads all of it.

    release: lets go of the pages of the files that a slice was read from.
    """

    def __init__(
        self,
        read: Callable[[int, int], Array],
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        release: Callable[[], None] = lambda: None,
    ) -> None:
        self._read, self._release = read, release
        self.shape, self.dtype = shape, dtype

    @classmethod
    def spilled(cls, path: Path, dtype: np.dtype[Any], shape: tuple[int, ...], offset: int = 0) -> SlicedColumn:
        """Return the column in a temporary file that has nothing but its numbers, from an offset on."""
        width = shape[1:]
        row_bytes = math.prod(width) * dtype.itemsize

        def read(start: int, stop: int) -> Array:
            data = _bytes_at(path, offset + start * row_bytes, (stop - start) * row_bytes)
            return np.frombuffer(data, dtype).reshape(stop - start, *width)

        return cls(read, shape, dtype)

    @classmethod
    def npy(cls, path: Path) -> SlicedColumn:
        """Return the column in a temporary file of NumPy's."""
        with path.open("rb") as file:
            np.lib.format.read_magic(file)
            shape, _, dtype = np.lib.format.read_array_header_1_0(file)
            return cls.spilled(path, dtype, shape, file.tell())

    @classmethod
    def plain(cls, files: CheckedFolder, name: str, dtype: Any = None) -> SlicedColumn:
        """Return a column of numbers, of another number type if one is given."""
        column, file = files.column(name), files.file(f"{name}.npy")
        chosen = column.values.dtype if dtype is None else np.dtype(dtype)
        return cls(lambda a, b: column.slice(a, b).astype(chosen), column.values.shape, chosen, file.release)

    @classmethod
    def small(cls, files: CheckedFolder, name: str) -> SlicedColumn:
        """Return a column of mostly small numbers."""
        column = ByteColumn(files, name)
        dtype = column.dtype
        return cls(
            lambda a, b: column.slice(a, b).astype(dtype), (len(column),), dtype, _releasing(files, *column.files)
        )

    @classmethod
    def ascending(cls, files: CheckedFolder, name: str) -> SlicedColumn:
        """Return a column of ascending numbers, as int64."""
        column = AscendingColumn(files, name)
        release = _releasing(files, name, f"{name}_carries")
        return cls(column.slice, (len(column),), np.dtype(np.int64), release)

    @classmethod
    def leaves(cls, files: CheckedFolder, column: LeafColumn) -> tuple[SlicedColumn, SlicedColumn]:
        """Return the rows and the term frequencies of leaf postings."""
        release = _releasing(files, *column.files)
        shape, (row_dtype, tf_dtype) = (len(column),), column.dtypes
        return (
            cls(lambda a, b: column.slice(a, b)[0], shape, row_dtype, release),
            cls(lambda a, b: column.slice(a, b)[1].astype(tf_dtype), shape, tf_dtype, release),
        )

    @classmethod
    def bytes_of(cls, files: CheckedFolder, name: str) -> SlicedColumn:
        """Return the bytes of a file."""
        file = files.file(name)

        def read(start: int, stop: int) -> Array:
            file.check(start, stop)
            return file.data[start:stop].copy()

        return cls(read, (len(file.data),), np.dtype(np.uint8), file.release)

    def after(self, first: int) -> SlicedColumn:
        """Return the column without its first rows."""
        shape = (len(self) - first, *self.shape[1:])
        return SlicedColumn(lambda a, b: self._read(a + first, b + first), shape, self.dtype, self._release)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice) -> Array:
        start, stop, _ = rows.indices(len(self))
        values = self._read(start, max(start, stop))
        self._release()
        return values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self[:] if dtype is None else self[:].astype(dtype)


class SlicedStrings(Sequence[bytes]):
    """Byte strings on disk, read in blocks: a column of offsets, and one of bytes."""

    def __init__(self, offsets: SlicedColumn, blob: SlicedColumn) -> None:
        self._offsets, self._blob = offsets, blob

    @classmethod
    def of(cls, files: CheckedFolder, name: str) -> SlicedStrings:
        """Return strings of a segment."""
        return cls(SlicedColumn.plain(files, name, np.int64), SlicedColumn.bytes_of(files, f"{name}.bin"))

    @classmethod
    def spilled(cls, path: Path, offsets: SlicedColumn | None = None) -> SlicedStrings:
        """Return the strings in a temporary file, written by `save` unless there is another column of their offsets."""
        blob = SlicedColumn.spilled(path, np.dtype(np.uint8), (path.stat().st_size,))
        return cls(SlicedColumn.npy(path.with_suffix(".npy")) if offsets is None else offsets, blob)

    @staticmethod
    def save(path: Path, strings: Iterable[bytes]) -> None:
        """Write the strings, for `spilled`."""
        strings = list(strings)
        with path.open("wb") as file:
            file.write(b"".join(strings))
        lengths = np.fromiter(map(len, chain((b"",), strings)), np.int64, len(strings) + 1)
        np.save(path.with_suffix(".npy"), lengths.cumsum())

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __iter__(self) -> Iterator[bytes]:
        first = 0
        while first < len(self):
            piece = self.read(first, PIECE)
            yield from piece
            first += len(piece)

    def __getitem__(self, rows: Any) -> Any:
        if isinstance(rows, slice):
            start, stop, _ = rows.indices(len(self))
            return self._between(self._offsets[start : stop + 1])
        return self._between(self._offsets[rows : rows + 2])[0]

    def read(self, first: int, most: int) -> list[bytes]:
        """Return up to `most` strings from number `first` on, of at most PIECE_BYTES, but at least one."""
        offsets = self._offsets[first : first + most + 1]
        n_strings = max(1, int(np.searchsorted(offsets, offsets[0] + PIECE_BYTES)))
        return self._between(offsets[: n_strings + 1])

    def _between(self, offsets: Array) -> list[bytes]:
        data = self._blob[int(offsets[0]) : int(offsets[-1])].tobytes()
        return [data[a:b] for a, b in pairwise((offsets - offsets[0]).tolist())]


class SpilledNames:
    """Names in a temporary file, in UTF-8."""

    def __init__(self, path: Path) -> None:
        self._strings = SlicedStrings.spilled(path)

    def __len__(self) -> int:
        return len(self._strings)

    def __iter__(self) -> Iterator[str]:
        return map(bytes.decode, self._strings)


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

    def finished(self) -> SlicedColumn:
        """Return the column, complete."""
        self._file.close()
        return SlicedColumn.spilled(self._path, self._dtype, (self._n_rows, *self._row_shape))


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

    def finished(self) -> SlicedStrings:
        """Return the strings, complete."""
        self._file.close()
        return SlicedStrings.spilled(self._path, self._ends.finished())


def read_strings(strings: Sequence[bytes], first: int, most: int) -> list[bytes]:
    """Return the next strings from the given one on, in memory or on disk: at least one, at most `most`."""
    return strings.read(first, most) if isinstance(strings, SlicedStrings) else list(strings[first : first + most])


def pieces(column: Any) -> Iterator[Array]:
    """Yield a column, in memory or on disk, in slices of up to PIECE rows."""
    for first in range(0, len(column), PIECE):
        yield column[first : first + PIECE]


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


def _releasing(files: CheckedFolder, *names: str) -> Callable[[], None]:
    opened = [files.file(f"{name}.npy") for name in names]

    def release() -> None:
        for file in opened:
            file.release()

    return release


# Terms of all vocabularies together that are in memory, and the fewest that are read of one at a time.
MOST_TERMS, LEAST_TERMS = 1 << 18, 1 << 8

Vocabulary = Sequence[bytes]


class TermRange(NamedTuple):
    """The terms of vocabularies that lie in one range of the alphabet."""

    terms: list[bytes]  # distinct, sorted
    firsts: list[int]  # per vocabulary: the first of its terms in the range
    own: list[list[bytes]]  # per vocabulary: its terms in the range, sorted

    def numbers(self) -> list[NDArray[np.int64]]:
        """Return per vocabulary the index into `terms` of each of its terms in the range."""
        numbers = dict(zip(self.terms, range(len(self.terms)), strict=True))
        return [np.fromiter(map(numbers.__getitem__, piece), np.int64, len(piece)) for piece in self.own]


def term_ranges(vocabularies: Sequence[Vocabulary]) -> Iterator[TermRange]:
    """Yield the ranges of sorted vocabularies in ascending order; together they contain every term once."""
    most = max(MOST_TERMS // max(len(vocabularies), 1), LEAST_TERMS)
    waiting: list[list[bytes]] = [[] for _ in vocabularies]
    n_read = [0] * len(vocabularies)
    n_taken = [0] * len(vocabularies)
    while True:
        for number, vocabulary in enumerate(vocabularies):
            if 2 * len(waiting[number]) < most and n_read[number] < len(vocabulary):
                piece = read_strings(vocabulary, n_read[number], most)
                waiting[number] += piece
                n_read[number] += len(piece)
        # A vocabulary that is read in part may have terms after the last that is waiting.
        lasts = [
            piece[-1]
            for piece, read, vocabulary in zip(waiting, n_read, vocabularies, strict=True)
            if read < len(vocabulary)
        ]
        cuts = [bisect_right(piece, min(lasts)) if lasts else len(piece) for piece in waiting]
        taken = [piece[:cut] for piece, cut in zip(waiting, cuts, strict=True)]
        # Sorted pieces are merged by Python's sort, which is several times faster than sorting a set of their terms.
        terms = list(dict.fromkeys(sorted(chain.from_iterable(taken))))
        if not terms:
            return
        yield TermRange(terms, n_taken.copy(), taken)
        for number, cut in enumerate(cuts):
            del waiting[number][:cut]
            n_taken[number] += cut
