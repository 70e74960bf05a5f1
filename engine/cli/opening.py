"""Opening an index to answer from it."""

from __future__ import annotations

from pathlib import Path

from engine.errors import IndexFormatError
from engine.index.index import Index, open_index


def open_filled_index(folder: Path) -> Index:
    """Return the index in a folder.

    Raises: IndexFormatError when there is none that can be read, or it holds no document.
    """
    index = open_index(folder)
    if not index.manifest.statistics.documents:
        raise IndexFormatError(f"{folder}: the index is empty: add documents: foxir index SOURCE --into {folder}")
    return index
