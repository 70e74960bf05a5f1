"""A folder of columns, as `checksum_writer` wrote it: each file is opened once, and checked as it is read."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from engine.columns.checked_files import CheckedColumn, CheckedFile
from engine.columns.string_column import Strings
from engine.errors import INDEX_AGAIN, IndexFormatError

# Bytes of a file that is checked as a whole that are in memory at a time.
CHECKED_AT_A_TIME = 1 << 23

T = TypeVar("T")


class CheckedFolder:
    """A written folder: columns and strings by name, each opened once.

    kinds: permitted kinds of numbers in its columns: u unsigned, i signed, f floating.
    """

    def __init__(self, folder: Path, files: dict[str, dict[str, Any]], *, kinds: str = "uif") -> None:
        self.folder = folder
        self._kinds = kinds
        self._files = files
        self._open: dict[str, Any] = {}

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
        return self._once(f"column {name}", lambda: CheckedColumn(self.file(f"{name}.npy"), self._kinds))

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
