"""Opening an index to read or to search it; its folder is shown as it was typed."""

from __future__ import annotations

from pathlib import Path

from engine.errors import empty_index
from engine.index.reader import open_reader
from foxir.searching.opened_index import Index


def open_typed(folder: Path) -> Index:
    """Return the index in a folder; raises IndexFormatError when it cannot be read."""
    return Index(open_reader(folder))


def open_filled_index(folder: Path) -> Index:
    """Return the index in a folder, which must contain documents.

    Raises: IndexFormatError when it cannot be read, or is empty.
    """
    index = open_typed(folder)
    if not len(index):
        raise empty_index(folder)
    return index
