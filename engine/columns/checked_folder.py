"""Reads a folder of columns, as `folder_writer` wrote it: each file opened once, each block verified once.

A column of byte strings is one file of bytes, and a column of offsets. Where columns contradict each other although
their checksums are right, `reads_columns` makes an error of it.
"""

from __future__ import annotations

import errno
import os
import re
import zlib
from collections.abc import Callable, Sequence
from functools import wraps
from itertools import pairwise
from mmap import mmap
from operator import eq, lt
from pathlib import Path
from types import FunctionType
from typing import Any, ParamSpec, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Array, distinct, places_of, ranges
from engine.columns.folder_writer import BLOCK, BLOCK_BITS
from engine.errors import INDEX_AGAIN, FoxirError, IndexFormatError
from engine.kernels.table import compiled, native
from engine.records import dataclass
from engine.system.platform import mapped, open_regular, release_pages
from engine.threads import Lock, cached_property

# Largest file, in bytes, that is read whole; a larger one is mapped into memory, and stays open on most Pythons.
READ_WHOLE = BLOCK
# Fruitless lookups of unchecked blocks that cost as much as one checksum.
FRUITLESS = 2
# Upper bound of the bytes of a column's header.
HEADER = 512

# Of columns with right checksums, as only a forged index has them.
DO_NOT_FIT = "the numbers of the index do not fit together"

# header of a column file: one array of little-endian numbers, on every platform
_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '([|][ui]1|<[uif][248])', 'fortran_order': False, "
    rb"'shape': \((\d{1,18}),(?: (\d{1,18}))?\), \} *\n",
    re.DOTALL,
)


class CheckedFile:
    """A file whose blocks are verified on first use: memory-mapped, or read whole if it is small."""

    def __init__(self, path: Path, size: int, checksums: Sequence[int]) -> None:
        self.path = path
        self._checksums = checksums
        self._unchecked = np.ones(len(checksums), np.bool_)
        self._n_unchecked = len(checksums)
        # Whether a block of the file has not been checked yet.
        self.has_unchecked = bool(checksums)
        self._n_fruitless = 0  # lookups that found no unchecked block
        self._lock = Lock()
        try:
            with open_regular(path) as file:
                found = os.fstat(file.fileno()).st_size
                if found != size:
                    raise IndexFormatError(
                        f"{path}: {found:,} bytes where {size:,} were written: the file is damaged, {INDEX_AGAIN}."
                    )
                self.data = np.frombuffer(mapped(file.fileno()) if size > READ_WHOLE else file.read(), np.uint8)
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                raise FoxirError(
                    f"{path}: cannot be opened, for too many files are open: raise the limit (`ulimit -n 1024`), or "
                    "let go of other indexes first."
                ) from None
            if error.errno == errno.ENOMEM:
                raise _too_little_memory(error) from error
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
        memory = getattr(self.data.base, "obj", None)  # behind a memoryview
        if isinstance(memory, mmap):
            release_pages(memory)

    def check_ranges(self, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> None:
        """Check the blocks that contain the bytes of ranges, none of them empty."""
        if self._n_unchecked and starts.size:
            first = starts >> BLOCK_BITS
            counts = ((stops - 1) >> BLOCK_BITS) - first + 1
            blocks = np.arange(int(counts.sum())) + np.repeat(first - np.cumsum(counts) + counts, counts)
            self._check_wanted(blocks[self._unchecked[blocks]])

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
        with self._lock.own:  # counted again, since several threads may have checked the same block
            self._unchecked[blocks] = False
            self._n_unchecked = int(np.count_nonzero(self._unchecked))
            self.has_unchecked = self._n_unchecked > 0


@dataclass(frozen=True)
class ColumnType:
    """Which numbers a column may have.

    kinds: u unsigned, i signed, f floating. itemsize, n_dimensions, length, width: bytes of a number, dimensions, rows,
    numbers in a row of two dimensions; None for any.
    """

    kinds: str = "u"
    itemsize: int | None = None
    n_dimensions: int | None = 1
    length: int | None = None
    width: int | None = None

    def mismatch(self, values: Array) -> str:
        """Return what a column has and should have, "" where its numbers are of this type."""
        dtype, shape = values.dtype, values.shape
        if dtype.kind not in self.kinds or self.itemsize not in (None, dtype.itemsize):
            return f"numbers of type {dtype.str}, expected {self.kinds}{self.itemsize or ''}"
        if self.n_dimensions not in (None, len(shape)):
            return f"{len(shape)} dimensions, expected {self.n_dimensions}"
        if self.width not in (None, *shape[1:]):
            return f"{shape[1]:,} numbers a row, expected {self.width:,}"
        if self.length not in (None, shape[0]):
            return f"{shape[0]:,} rows, expected {self.length:,}"
        return ""


ANY = ColumnType("uif", n_dimensions=None)


class CheckedColumn:
    """A column of a checked file: read by slice or by row numbers, never as a whole by accident."""

    def __init__(self, file: CheckedFile, expected: ColumnType = ANY) -> None:
        self._file = file
        file.check(0, min(HEADER, len(file.data)))
        head = _HEADER.match(file.data[:HEADER].tobytes())
        if head is None:
            raise IndexFormatError(f"{file.path}: not a column of numbers as foxir writes it: {INDEX_AGAIN}.")
        self._offset = head.end()
        shape = [int(size) for size in (head[2], head[3]) if size is not None]
        try:
            self.values: Array = file.data[self._offset :].view(head[1].decode()).reshape(shape)
        except (ValueError, TypeError) as error:
            raise IndexFormatError(f"{file.path}: not a column of numbers ({error}): {INDEX_AGAIN}.") from None
        if mismatch := expected.mismatch(self.values):
            raise IndexFormatError(f"{file.path}: {DO_NOT_FIT}: {mismatch}: {INDEX_AGAIN}.")
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
        if wanted and len(self) <= READ_FOR_EACH * len(wanted):
            return self._found_by_table(wanted)
        return self._found_by_bisection(wanted)

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

    @compiled(_found_by_bisection)
    def _found_by_table(self, wanted: Sequence[bytes]) -> NDArray[np.int64]:
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


# Bytes of a file that is checked as a whole that are in memory at a time.
CHECKED_AT_A_TIME = 1 << 23

T = TypeVar("T")


class CheckedFolder:
    """A written folder: columns and strings by name, each opened once.

    type_of: the type that the column of a name must have.
    """

    def __init__(
        self, folder: Path, files: dict[str, dict[str, Any]], type_of: Callable[[str], ColumnType] = lambda _: ANY
    ) -> None:
        self.folder = folder
        self._type_of = type_of
        self._files = files
        self._open: dict[str, Any] = {}
        self._columns: dict[str, CheckedColumn] = {}

    @classmethod
    def unchecked(cls, folder: Path) -> CheckedFolder:
        """Return a folder without checksums: its files are read unverified."""
        names = [path for path in folder.iterdir() if path.is_file()]
        return cls(folder, {path.name: {"size": path.stat().st_size, "crc32": []} for path in names})

    def has(self, name: str) -> bool:
        """Return whether there is a file of this name."""
        return name in self._files

    def file(self, name: str) -> CheckedFile:
        """Return a file by name."""
        return self._once(
            name, lambda: CheckedFile(self.folder / name, self._entry(name)["size"], self._entry(name)["crc32"])
        )

    def column(self, name: str) -> CheckedColumn:
        """Return the column `name.npy`."""
        found = self._columns.get(name)
        if found is None:  # threads that open it at once share the first
            found = self._columns.setdefault(name, CheckedColumn(self.file(f"{name}.npy"), self._type_of(name)))
        return found

    def strings(self, name: str) -> Strings:
        """Return the strings of `name.bin` and `name.npy`."""
        return self._once(f"strings {name}", lambda: Strings(self.column(name), self.file(f"{name}.bin")))

    def open_all(self) -> None:
        """Open every file: open files stay readable after the folder is removed."""
        for name in self._files:
            self.file(name)

    def check_all(self) -> None:
        """Check every block of every file; raises IndexFormatError at the first that is damaged."""
        for name, entry in self._files.items():
            file = self.file(name)
            for start in range(0, entry["size"], CHECKED_AT_A_TIME):
                file.check(start, min(start + CHECKED_AT_A_TIME, entry["size"]))
                file.release()

    @cached_property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(entry["size"] for entry in self._files.values())

    def _entry(self, name: str) -> dict[str, Any]:
        if name not in self._files:
            raise IndexFormatError(
                f"{self.folder}: no file '{name}' in this segment: the index is damaged, {INDEX_AGAIN}."
            )
        return self._files[name]

    def _once(self, key: str, make: Callable[[], T]) -> T:
        opened: T | None = self._open.get(key)
        if opened is None:
            opened = self._open.setdefault(key, make())  # threads that make it at once share the first
        return opened


Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")


def reads_columns(function: Callable[Arguments, Value]) -> Callable[Arguments, Value]:
    """Turn errors of arrays that a function raises while it reads an index into an IndexFormatError (decorator).

    Such an error means that a number of one column is beyond another one, as only a forged index has them. It keeps the
    error of the array as its cause, since it may also be a mistake of foxir.
    """

    @wraps(function)
    def checked(*arguments: Arguments.args, **options: Arguments.kwargs) -> Value:
        try:
            return function(*arguments, **options)
        except FoxirError:  # some are a ValueError, too
            raise
        except MemoryError as error:
            raise _too_little_memory(error) from error
        except (IndexError, ValueError, OverflowError, ZeroDivisionError, StopIteration) as error:
            raise IndexFormatError(
                f"{DO_NOT_FIT} ({error}): {INDEX_AGAIN}; if foxir made this index, report it as an error of foxir."
            ) from error

    return checked


def _too_little_memory(error: Exception) -> IndexFormatError:
    return IndexFormatError(
        f"there is too little memory to read the index ({str(error) or 'none is left'}); nothing in it is lost. Where "
        f"there is enough, {DO_NOT_FIT}: {INDEX_AGAIN}."
    )


Class = TypeVar("Class", bound=type)


def all_read_columns(kind: Class) -> Class:
    """Make `reads_columns` of all methods and properties of a class, but those of Python's own names (decorator)."""
    for name, member in list(vars(kind).items()):
        if name.startswith("__"):
            continue
        if isinstance(member, property) and member.fget is not None:
            setattr(kind, name, property(reads_columns(member.fget), doc=member.__doc__))
        elif isinstance(member, FunctionType):
            setattr(kind, name, reads_columns(member))
    return kind
