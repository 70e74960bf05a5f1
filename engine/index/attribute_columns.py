"""Attributes of some documents in columns, from the batch to the open segment.

    attributes_of_document   for each document the index of its first entry, then the number of entries
    attribute_row            for each entry the row of its element, counted from the root
    attribute_name           for each entry the number of its name
    attribute_names          the distinct names, sorted
    attribute_values         for each entry its value

Entries are in document order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.collection.attributes import FlatAttributes
from engine.index.checked_files import CheckedFolder
from engine.index.checksum_writer import FolderWriter
from engine.index.dtypes import narrow

Array = NDArray[Any]
Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Attributes:
    """The attributes of some documents, in their order; see the module."""

    names: Sequence[str]
    of_document: Array  # shape (n_documents + 1,)
    row: Array  # shape (n_entries,), as the next two
    name: Array
    value_ends: Array  # where each value ends in `values`
    values: Array  # UTF-8, shape (n_bytes,)

    @classmethod
    def of(cls, flat: FlatAttributes, first_rows: Rows) -> Attributes:
        """Return the columns of a batch's attributes."""
        names = sorted(set(flat.names))
        numbers = {name: number for number, name in enumerate(names)}
        document = np.searchsorted(first_rows, flat.rows, side="right") - 1
        encoded = [value.encode() for value in flat.values]
        return cls(
            names=names,
            of_document=np.searchsorted(document, np.arange(len(first_rows))),
            row=narrow(flat.rows - first_rows[document]),
            name=narrow(np.array([numbers[name] for name in flat.names], np.int64)),
            value_ends=np.cumsum(np.array(list(map(len, encoded)), np.int64)),
            values=np.frombuffer(b"".join(encoded), np.uint8),
        )

    @classmethod
    def joined(cls, parts: Sequence[Attributes]) -> Attributes:
        """Return the attributes of documents that follow one another."""
        names = sorted({name for part in parts for name in part.names})
        numbers = {name: number for number, name in enumerate(names)}
        renumbered = [np.array([numbers[name] for name in part.names], np.int64)[part.name] for part in parts]
        before = np.cumsum([0, *(len(part.row) for part in parts)])
        bytes_before = np.cumsum([0, *(len(part.values) for part in parts)])
        none = np.empty(0, np.int64)
        return cls(
            names=names,
            of_document=np.concatenate([[0], *(p.of_document[1:] + b for p, b in zip(parts, before, strict=False))]),
            row=np.concatenate([none, *(part.row for part in parts)]),
            name=np.concatenate([none, *renumbered]),
            value_ends=np.concatenate([none, *(p.value_ends + b for p, b in zip(parts, bytes_before, strict=False))]),
            values=np.concatenate([np.empty(0, np.uint8), *(part.values for part in parts)]),
        )

    def of_documents(self, is_kept: NDArray[np.bool_]) -> Attributes:
        """Return the attributes of the documents to keep; unused names are removed."""
        counts = np.diff(self.of_document)
        entries = np.repeat(is_kept, counts)
        lengths = np.diff(self.value_ends, prepend=0)
        used = np.unique(self.name[entries])
        return Attributes(
            names=[self.names[number] for number in used.tolist()],
            of_document=np.concatenate([[0], np.cumsum(counts[is_kept])]),
            row=self.row[entries],
            name=np.searchsorted(used, self.name[entries]),
            value_ends=np.cumsum(lengths[entries]),
            values=self.values[np.repeat(entries, lengths)],
        )

    def write(self, writer: FolderWriter) -> None:
        """Write the columns of a segment."""
        writer.strings("attribute_names", (name.encode() for name in self.names))
        writer.column("attributes_of_document", narrow(self.of_document))
        writer.column("attribute_row", narrow(self.row))
        writer.column("attribute_name", narrow(self.name))
        writer.bytes("attribute_values.bin", self.values.tobytes())
        writer.column("attribute_values", narrow(np.concatenate([[0], self.value_ends])))

    @classmethod
    def read(cls, folder: CheckedFolder) -> Attributes:
        """Return the columns of a segment, whole."""
        blob = folder.file("attribute_values.bin")
        blob.check(0, len(blob.data))
        return cls(
            names=[name.decode() for name in folder.strings("attribute_names").all()],
            of_document=folder.column("attributes_of_document").all().astype(np.int64),
            row=folder.column("attribute_row").all(),
            name=folder.column("attribute_name").all(),
            value_ends=folder.column("attribute_values").all()[1:].astype(np.int64),
            values=blob.data,
        )

    def save(self, path: Path) -> None:
        """Spill the attributes to a file, for `load`."""
        with path.open("wb") as file:
            np.savez(
                file,
                names=np.array(self.names, np.str_),
                of_document=self.of_document,
                row=self.row,
                name=self.name,
                value_ends=self.value_ends,
                values=self.values,
            )

    @classmethod
    def load(cls, path: Path) -> Attributes:
        """Return spilled attributes."""
        with np.load(path) as columns:
            names = [str(name) for name in columns["names"]]
            return cls(**{**columns, "names": names})


def attributes_in(folder: CheckedFolder, names: Sequence[str], documents: Rows) -> tuple[Rows, Rows, list[str]]:
    """Return the attributes of some names in some documents of a segment.

    Returns: of each, the place of its document among the given ones, the row of its element counted from the document's
        root, and its value; in document order.
    """
    known = [name.decode() for name in folder.strings("attribute_names").all()]
    wanted = [known.index(name) for name in names if name in known]
    none = np.empty(0, np.int64)
    if not wanted:
        return none, none, []
    of_document = folder.column("attributes_of_document")
    first = of_document.take(documents).astype(np.int64)
    counts = of_document.take(documents + 1) - first
    entries = np.repeat(first - (np.cumsum(counts) - counts), counts) + np.arange(int(counts.sum()))
    chosen = np.flatnonzero(np.isin(folder.column("attribute_name").take(entries), wanted))
    entries = entries[chosen]
    values = folder.strings("attribute_values").take(entries)
    decoded = {value: value.decode() for value in set(values)}
    place = np.repeat(np.arange(len(documents)), counts)[chosen]
    rows = folder.column("attribute_row").take(entries).astype(np.int64)
    return place, rows, [decoded[value] for value in values]
