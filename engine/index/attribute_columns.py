"""Attributes of documents in columns, from the batch to the segment; `elements.element_store` reads them there.

    attributes_of_document   for each document the index of its first entry, then the number of entries
    attribute_row            for each entry the row of its element, counted from the root
    attribute_name           for each entry the number of its name
    attribute_names          the distinct names, sorted
    attribute_values         for each entry its value

Entries are in document order.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.arrays import Rows
from engine.columns.ascending_column import AscendingColumnWriter
from engine.columns.checked_folder import CheckedFolder
from engine.columns.folder_writer import FolderWriter, GrowingColumnWriter, narrow
from engine.columns.sliced import SlicedColumn, SlicedStrings, SpilledNames, pieces
from engine.records import dataclass

if TYPE_CHECKING:
    from engine.collection.markup.attributes import FlatAttributes

COLUMNS = ("of_document", "row", "name", "value_ends", "values")


@dataclass(frozen=True)
class Attributes:
    """The attributes of documents, in their order; see the module. Columns may be spilled."""

    names: Sequence[str] | SpilledNames
    of_document: Any  # shape (n_documents + 1,)
    row: Any  # shape (n_entries,), as the next two
    name: Any
    value_ends: Any  # where each value ends in `values`
    values: Any  # UTF-8, shape (n_bytes,)

    @classmethod
    def of(cls, flat: FlatAttributes, first_rows: Rows) -> Attributes:
        """Return the columns of a batch's attributes."""
        names = sorted(flat.names)
        numbers = {name: number for number, name in enumerate(names)}
        renumbered = np.array([numbers[name] for name in flat.names], np.int64)
        document = np.searchsorted(first_rows, flat.rows, side="right") - 1
        # XML has no NUL: it separates the values until all are encoded.
        encoded = "\0".join(flat.values).encode().split(b"\0")
        lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
        values = b"".join(map(encoded.__getitem__, flat.value.tolist()))
        return cls(
            names=names,
            of_document=np.searchsorted(document, np.arange(len(first_rows))),
            row=narrow(flat.rows - first_rows[document]),
            name=narrow(renumbered[flat.name]),
            value_ends=np.cumsum(lengths[flat.value]),
            values=np.frombuffer(values, np.uint8),
        )

    @classmethod
    def read(cls, folder: CheckedFolder) -> Attributes:
        """Return the columns of a segment, which are read slice by slice."""
        return cls(
            names=[name.decode() for name in folder.strings("attribute_names").all()],
            of_document=SlicedColumn.plain(folder, "attributes_of_document", np.int64),
            row=SlicedColumn.plain(folder, "attribute_row"),
            name=SlicedColumn.plain(folder, "attribute_name"),
            value_ends=SlicedColumn.ascending(folder, "attribute_values").after(1),
            values=SlicedColumn.bytes_of(folder, "attribute_values.bin"),
        )

    def save(self, folder: Path) -> None:
        """Spill the attributes to a new folder, for `load`."""
        folder.mkdir()
        SlicedStrings.save(folder / "names", map(str.encode, self.names))
        for name in COLUMNS:
            np.save(folder / f"{name}.npy", getattr(self, name))

    @classmethod
    def load(cls, folder: Path) -> Attributes:
        """Return spilled attributes, which stay on disk."""
        return cls(
            SpilledNames(folder / "names"), **{name: SlicedColumn.npy(folder / f"{name}.npy") for name in COLUMNS}
        )


def write_attributes(parts: Sequence[Attributes], writer: FolderWriter) -> None:
    """Write the attributes of documents that follow one another as the columns of a segment."""
    names = sorted({name for part in parts for name in part.names})
    numbers = {name: number for number, name in enumerate(names)}
    writer.strings("attribute_names", (name.encode() for name in names))
    documents = GrowingColumnWriter(writer, "attributes_of_document")
    ends = AscendingColumnWriter(writer, "attribute_values")
    documents.append(np.zeros(1, np.int64))
    ends.append(np.zeros(1, np.int64))
    rows, names_of = (GrowingColumnWriter(writer, name) for name in ("attribute_row", "attribute_name"))
    values = writer.create("attribute_values.bin")
    n_entries = n_bytes = 0
    for part in parts:
        renumbered = np.array([numbers[name] for name in part.names], np.int64)
        for piece in pieces(part.of_document[1:]):
            documents.append(piece + n_entries)
        for piece in pieces(part.row):
            rows.append(piece)
        for piece in pieces(part.name):
            names_of.append(renumbered[piece])
        for piece in pieces(part.value_ends):
            ends.append(piece + n_bytes)
        for piece in pieces(part.values):
            values.append(piece)
        n_entries += len(part.row)
        n_bytes += len(part.values)
    for file in (documents, ends, rows, names_of):
        file.finish()
    writer.finish(values)
