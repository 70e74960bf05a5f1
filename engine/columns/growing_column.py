"""Columns whose length and number type are known only when they are complete."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from engine.columns.checksum_writer import FolderWriter
from engine.columns.dtypes import narrowest

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
