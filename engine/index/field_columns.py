"""The values of the fields of documents, as columns of a part and of a segment.

    fields_of_document   for each document the index of its first entry, then the number of entries
    field_value          for each entry the number of its value
    field_values         the distinct values, each with its field and its key (`engine.fields.values`), sorted

Entries of a document are sorted by field; those of a field are in the order of the document. Values of a field follow
one another, in their order, so that a bound is an interval of numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.columns.checked_folder import CheckedFolder
from engine.columns.folder_writer import FolderWriter, GrowingColumnWriter, StringsWriter, narrow
from engine.columns.sliced import SlicedColumn, SlicedStrings, pieces, term_ranges
from engine.fields.values import stored
from engine.records import dataclass

if TYPE_CHECKING:
    from engine.collection.markup.field_values import FoundFields

OF_DOCUMENT, VALUE, VALUES = "fields_of_document", "field_value", "field_values"


@dataclass(frozen=True)
class FieldColumns:
    """The values of documents, in their order; see the module. Columns may be spilled."""

    of_document: Any  # shape (n_documents + 1,)
    value: Any  # shape (n_entries,)
    values: Sequence[bytes]

    @classmethod
    def of(cls, found: FoundFields, n_documents: int) -> FieldColumns:
        """Return the columns of a batch."""
        encoded = [stored(name, value) for name, value in zip(found.fields, found.values, strict=True)]
        values = sorted(set(encoded))
        numbers = {value: number for number, value in enumerate(values)}
        return cls(
            of_document=np.searchsorted(np.array(found.documents, np.int64), np.arange(n_documents + 1)),
            value=narrow(np.fromiter(map(numbers.__getitem__, encoded), np.int64, len(encoded))),
            values=values,
        )

    @classmethod
    def read(cls, folder: CheckedFolder) -> FieldColumns:
        """Return the columns of a segment, which are read slice by slice."""
        of_document = SlicedColumn.plain(folder, OF_DOCUMENT, np.int64)
        return cls(of_document, SlicedColumn.plain(folder, VALUE), SlicedStrings.of(folder, VALUES))

    def save(self, folder: Path) -> None:
        """Spill the columns to a new folder, for `load`."""
        folder.mkdir()
        np.save(folder / "of_document.npy", np.asarray(self.of_document))
        np.save(folder / "value.npy", np.asarray(self.value))
        SlicedStrings.save(folder / "values", self.values)

    @classmethod
    def load(cls, folder: Path) -> FieldColumns:
        """Return spilled columns, which stay on disk."""
        of_document, value = (SlicedColumn.npy(folder / f"{name}.npy") for name in ("of_document", "value"))
        return cls(of_document, value, SlicedStrings.spilled(folder / "values"))


def write_fields(parts: Sequence[FieldColumns], writer: FolderWriter) -> None:
    """Write the values of documents that follow one another as the columns of a segment."""
    values = StringsWriter(writer, VALUES)
    renumbered = [np.zeros(len(part.values), np.int64) for part in parts]
    n_values = 0
    for each in term_ranges([part.values for part in parts]):
        values.append(each.terms)
        for numbers, first, of_part in zip(renumbered, each.firsts, each.numbers(), strict=True):
            numbers[first : first + len(of_part)] = of_part + n_values
        n_values += len(each.terms)
    values.finish()
    documents, entries = GrowingColumnWriter(writer, OF_DOCUMENT), GrowingColumnWriter(writer, VALUE)
    documents.append(np.zeros(1, np.int64))
    n_entries = 0
    for part, numbers in zip(parts, renumbered, strict=True):
        for piece in pieces(part.of_document[1:]):
            documents.append(piece + n_entries)
        for piece in pieces(part.value):
            entries.append(numbers[piece])
        n_entries += len(part.value)
    documents.finish()
    entries.finish()
