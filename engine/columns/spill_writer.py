"""Writes columns and strings to temporary files, some at a time; `engine.columns.spilled` reads them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from engine.array_types import Array
from engine.columns.spilled import SpilledColumn, SpilledStrings

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
