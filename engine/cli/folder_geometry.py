"""The geometry of an index that can go to another process, which opens the index anew."""

from __future__ import annotations

from pathlib import Path

from engine.index.geometry import IndexGeometry
from engine.index.index import open_index


class FolderGeometry(IndexGeometry):
    """Lengths, spans and offsets of the documents of the index in a folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(open_index(folder))
        self._folder = folder

    def __reduce__(self) -> tuple[type[FolderGeometry], tuple[Path]]:
        """Return how another process makes it."""
        return FolderGeometry, (self._folder,)
