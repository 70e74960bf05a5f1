"""Writes the files of a folder, columns and strings, with one checksum per block.

A folder of columns is written through a `FolderWriter` and read through a `CheckedFolder`
(`engine/columns/checked_folder.py`). Columns are plain `.npy` files of numbers as narrow as their values allow, strings
a blob of UTF-8 beside a column of offsets.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Array
from engine.system.platform import sync_folder


def narrow(values: Array) -> Array:
    """Return non-negative values in the narrowest unsigned dtype that can represent them all."""
    return values.astype(narrowest(int(values.max(initial=0))), copy=False)


def narrowest(largest: int) -> np.dtype[Any]:
    """Return the narrowest unsigned dtype, little-endian, for numbers up to `largest`."""
    return np.dtype(
        "<u1" if largest < 1 << 8 else "<u2" if largest < 1 << 16 else "<u4" if largest < 1 << 32 else "<u8"
    )


def little_endian(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype as columns are written: numbers little-endian on every platform."""
    return dtype.newbyteorder("<")


BLOCK_BITS = 16
# Bytes per checksum: small enough to check what a query reads, large enough for few checksums.
BLOCK = 1 << BLOCK_BITS


class _BlockChecksums:
    """CRC-32 of every block written so far."""

    def __init__(self) -> None:
        self.size = 0
        self._done: list[int] = []
        self._crc = 0

    def update(self, data: memoryview) -> None:
        while len(data):
            room = BLOCK - self.size % BLOCK
            piece = data[:room]
            self._crc = zlib.crc32(piece, self._crc)
            self.size += len(piece)
            if self.size % BLOCK == 0:
                self._done.append(self._crc)
                self._crc = 0
            data = data[room:]

    def finish(self) -> list[int]:
        return [*self._done, self._crc] if self.size % BLOCK else list(self._done)


class FileWriter:
    """A file being written; close it when complete.

    Args:
        name: in its folder.
    """

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self.checksums = _BlockChecksums()
        self._file: BinaryIO = path.open("wb")

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Append the bytes."""
        view = memoryview(data).cast("B")
        self.checksums.update(view)
        self._file.write(view)

    def append(self, values: Array) -> None:
        """Append an array's bytes."""
        if values.size:
            self.write(np.ascontiguousarray(values).data)

    def close(self, *, sync: bool) -> None:
        """Close the file; with `sync`, it is durable on return."""
        self._file.flush()
        if sync:
            os.fsync(self._file.fileno())
        self._file.close()


class FolderWriter:
    """Writes the files of a new folder; with `sync`, each is durable, which published folders need."""

    def __init__(self, folder: Path, *, sync: bool) -> None:
        self.folder = folder
        self.sync = sync
        # Size and checksums of the files that are finished, by name.
        self.written: dict[str, dict[str, Any]] = {}
        folder.mkdir(parents=True)
        self._folders = {""}

    def create(self, name: str) -> FileWriter:
        """Return a writer of a new file; pass it to `finish` when it is complete."""
        parent = os.path.dirname(name)
        if parent not in self._folders:
            (self.folder / parent).mkdir()
            self._folders.add(parent)
        return FileWriter(self.folder / name, name)

    def finish(self, file: FileWriter) -> None:
        """Close a file and record its checksums."""
        file.close(sync=self.sync)
        self.written[file.name] = {"size": file.checksums.size, "crc32": file.checksums.finish()}

    def column(self, name: str, values: Array) -> None:
        """Write an array as `name.npy`."""
        file = self.start_column(name, values.dtype, values.shape)
        file.append(values.astype(little_endian(values.dtype), copy=False))
        self.finish(file)

    def start_column(self, name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> FileWriter:
        """Return a writer of `name.npy`, to be filled in order by `append` with arrays that are `little_endian`."""
        file = self.create(f"{name}.npy")
        descr = np.lib.format.dtype_to_descr(little_endian(dtype))
        header = {"descr": descr, "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, header)
        return file

    def strings(self, name: str, values: Iterable[bytes]) -> None:
        """Write byte strings as `name.bin` with their offsets in `name.npy`."""
        values = list(values)
        offsets = np.zeros(len(values) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, values), np.int64, len(values)), out=offsets[1:])
        self.bytes(f"{name}.bin", b"".join(values))
        self.column(name, narrow(offsets))

    def bytes(self, name: str, data: bytes) -> None:
        """Write a whole file."""
        file = self.create(name)
        file.write(data)
        self.finish(file)

    def close(self) -> dict[str, dict[str, Any]]:
        """Return size and checksums of every file, by name; with `sync`, the folder's entries are durable."""
        # Syncing a file does not sync its entry in the folder: after a power failure it might have no name.
        if self.sync:
            for folder in self._folders:
                sync_folder(self.folder / folder)
        return dict(sorted(self.written.items()))


class PlainWriter:
    """Writes a column without encoding, slice by slice."""

    def __init__(self, writer: FolderWriter, name: str, n_entries: int, *, dtype: np.dtype[Any]) -> None:
        self._writer = writer
        self._file = writer.start_column(name, dtype, (n_entries,))
        self.append = self._file.append

    def finish(self) -> None:
        """Close the column."""
        self._writer.finish(self._file)


# Numbers that are buffered in memory, per column, before they go to a temporary file.
MOST_KEPT = 1 << 16
# Strings, and their bytes, that are collected before they are written.
STRINGS, STRING_BYTES = 1 << 13, 1 << 20


class GrowingColumnWriter:
    """Writes a column of non-negative numbers, slice by slice, in the narrowest dtype that fits all of them.

    Up to `finish` the numbers are in a temporary file without a name, and a bounded number of them in memory.
    """

    def __init__(self, writer: FolderWriter, name: str, dtype: np.dtype[Any] | None = None) -> None:
        """Begin a column; `dtype` is that of the column if it is known."""
        self._writer = writer
        self._name = name
        self._dtype = dtype
        self._kept_dtype = np.dtype(np.int64) if dtype is None else dtype
        self._kept: list[NDArray[Any]] = []
        self._n_kept = self._n_entries = self._largest = 0
        self._file: BinaryIO | None = None

    def append(self, numbers: NDArray[Any]) -> None:
        """Append numbers, none below 0."""
        if not len(numbers):
            return
        self._largest = max(self._largest, int(numbers.max()))
        self._n_entries += len(numbers)
        self._n_kept += len(numbers)
        self._kept.append(numbers.astype(self._kept_dtype))
        if self._n_kept > MOST_KEPT:
            if self._file is None:
                import tempfile  # noqa: PLC0415  (few columns are that long)

                self._file = cast(BinaryIO, tempfile.TemporaryFile(dir=self._writer.folder))  # noqa: SIM115  (closed by finish)
            for kept in self._kept:
                self._file.write(kept.data)
            self._kept, self._n_kept = [], 0

    def finish(self, dtype: np.dtype[Any] | None = None) -> None:
        """Write the column, in another dtype than the narrowest if one is given."""
        dtype = dtype or self._dtype or narrowest(self._largest)
        file = self._writer.start_column(self._name, dtype, (self._n_entries,))
        if self._file is not None:
            with self._file:
                self._file.seek(0)
                while raw := self._file.read(MOST_KEPT * 8):
                    file.append(np.frombuffer(raw, self._kept_dtype).astype(dtype, copy=False))
        for kept in self._kept:
            file.append(kept.astype(dtype, copy=False))
        self._writer.finish(file)


class StringsWriter:
    """Writes byte strings as `name.bin` with their offsets in `name.npy`, block by block."""

    def __init__(self, writer: FolderWriter, name: str) -> None:
        self._writer = writer
        self._file = writer.create(f"{name}.bin")
        self._offsets = GrowingColumnWriter(writer, name)
        self._offsets.append(np.zeros(1, np.int64))
        self._n_bytes = 0

    def append(self, strings: Iterable[bytes]) -> None:
        """Append strings; unless they are a list already, they are written in blocks of bounded size."""
        if isinstance(strings, list):
            self._write(strings)
            return
        block: list[bytes] = []
        size = 0
        for string in strings:
            block.append(string)
            size += len(string)
            if size > STRING_BYTES or len(block) == STRINGS:
                self._write(block)
                block, size = [], 0
        self._write(block)

    def _write(self, block: list[bytes]) -> None:
        if block:
            self._file.write(b"".join(block))
            ends = np.cumsum(np.fromiter(map(len, block), np.int64, len(block))) + self._n_bytes
            self._n_bytes = int(ends[-1])
            self._offsets.append(ends)

    def finish(self) -> None:
        """Close the files."""
        self._writer.finish(self._file)
        self._offsets.finish()
