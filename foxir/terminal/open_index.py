"""Opening an index to search it."""

from __future__ import annotations

from pathlib import Path

from engine.errors import empty_index
from engine.index.reader import open_reader
from foxir.searching.opened_index import Index


def open_filled_index(folder: Path) -> Index:
    """Return the index in a folder, which must contain documents.

    Raises: IndexFormatError when it cannot be read, or is empty.
    """
    index = Index(open_reader(folder))
    if not len(index):
        raise empty_index(folder)
    return index
