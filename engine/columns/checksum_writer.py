"""Writes the files of a folder, columns and strings, with one checksum per block.

A folder of columns is written through a `FolderWriter` and read through a `CheckedFolder`
(`engine/columns/checked_folder.py`).
Columns are plain `.npy` files, strings a blob of UTF-8 beside a column of offsets.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from engine.array_types import Array
from engine.columns.dtypes import little_endian, narrow
from engine.system.files import sync_folder

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
