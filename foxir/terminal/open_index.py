"""Opening an index to search it."""

from __future__ import annotations

from pathlib import Path

from engine.errors import empty_index
from engine.index.reader import IndexReader, open_reader


def open_filled_index(folder: Path) -> IndexReader:
    """Return the index in a folder, which must contain documents.

    Raises: IndexFormatError when it cannot be read, or is empty.
    """
    index = open_reader(folder)
    if not index.manifest.statistics.documents:
        raise empty_index(folder)
    return index
