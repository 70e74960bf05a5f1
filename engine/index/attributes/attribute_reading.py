"""Reads the attributes of documents from an open segment; `attribute_columns` says what its columns are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.array_types import Rows
from engine.arrays import ranges
from engine.columns.ascending_column import AscendingColumn
from engine.columns.checked_folder import CheckedFolder
from engine.columns.string_column import Strings


def attribute_names(folder: CheckedFolder) -> list[str]:
    """Return the names of the attributes of a segment, sorted."""
    return [name.decode() for name in folder.strings("attribute_names").all()]


def attributes_in(folder: CheckedFolder, names: Sequence[str], documents: Rows) -> tuple[Rows, Rows, list[str]]:
    """Return the attributes of some names in some documents of a segment.

    Returns: of each, the place of its document among the given ones, the row of its element counted from the document's
        root, and its value; in document order.
    """
    known = attribute_names(folder)
    wanted = [known.index(name) for name in names if name in known]
    none = np.empty(0, np.int64)
    if not wanted:
        return none, none, []
    of_document = folder.column("attributes_of_document")
    first = of_document.take(documents).astype(np.int64)
    counts = of_document.take(documents + 1) - first
    entries = ranges(first, counts)
    chosen = np.flatnonzero(np.isin(folder.column("attribute_name").take(entries), wanted))
    entries = entries[chosen]
    ends, blob = AscendingColumn(folder, "attribute_values"), folder.file("attribute_values.bin")
    values = Strings(ends, blob).take(entries)
    decoded = {value: value.decode() for value in set(values)}
    place = np.repeat(np.arange(len(documents)), counts)[chosen]
    rows = folder.column("attribute_row").take(entries).astype(np.int64)
    return place, rows, [decoded[value] for value in values]
