"""The index as the source of element sizes and offsets for evaluation commands."""

from __future__ import annotations

from pathlib import Path

from engine.index.locator import IndexLocator
from engine.index.reader import open_reader


class FolderLocator(IndexLocator):
    """Lengths, spans and offsets of the documents of an index; pickled as its folder, which each process opens."""

    def __init__(self, folder: Path) -> None:
        super().__init__(open_reader(folder))
        self._folder = folder

    def __reduce__(self) -> tuple[type[FolderLocator], tuple[Path]]:
        """Return the class and the folder to open."""
        return FolderLocator, (self._folder,)
