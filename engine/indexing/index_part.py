"""A part: the columns of documents, in memory or on disk, before they are merged into a segment.

Compaction turns segments into parts again. There are eight groups of columns; the rows that belong to one document or
term are consecutive:

    documents   ids, content digests, sizes, source, profile, languages, first row, lengths, leaf counts, weight W_d
    elements    tag, distance to the parent, rows of the subtree, depth, ordinal
    postings    term -> (document, tf, tf in its opening, number of leaves) -> (leaf row in its document, tf)
                -> positions
    words       word numbers, ascending: each element's first word; words that begin a text node or a sentence
    attributes  see `attribute_columns`
    fields      see `field_columns`
    images      see `image_columns`
    vectors     see `block_vectors`; parts of a build have none yet
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from engine.columns.folder_writer import narrowest
from engine.columns.sliced import SlicedColumn, SlicedStrings, SpilledNames
from engine.index.attribute_columns import Attributes
from engine.index.block_vectors import VectorColumns
from engine.index.field_columns import FieldColumns
from engine.index.images.image_columns import ImageColumns
from engine.records import dataclass

DOCUMENT_COLUMNS = (
    "digest",
    "size_bytes",
    "source",
    "profile",
    "language",
    "length_tokens",
    "leaf_count",
    "weight",
    "text_bytes",
)
ELEMENT_COLUMNS = ("tag", "parent", "extent", "depth", "ordinal")
# Columns of mostly small numbers: a segment has them in one byte per row.
BYTE_COLUMNS = ("parent", "extent", "tf", "opening_tf", "n_leaves", "position")
# One row per term and document.
POSTING_COLUMNS = ("document", "tf", "opening_tf", "n_leaves")
# One row per term and leaf.
LEAF_COLUMNS = ("leaf", "leaf_tf")
# One row per occurrence.
POSITION_COLUMNS = ("position",)
WORD_COLUMNS = ("word", "text_node", "sentence")
# First row of each term in the three levels of postings.
TERM_POINTERS = ("postings", "leaves", "positions")
LEVELS = dict(zip(TERM_POINTERS, (POSTING_COLUMNS, LEAF_COLUMNS, POSITION_COLUMNS), strict=True))


@dataclass(frozen=True)
class IndexPart:
    """The columns of documents; the module lists the groups. They are arrays, or spilled and read like arrays.

    parent: distance in rows to the parent, 0 for roots. extent: number of rows of the subtree.
    leaf: row of the leaf relative to its document's root. position: index of the occurrence in the leaf's own words.
    word: number of each element's first word, then the number of words: shape (n_elements + 1,).
    text_node: words that begin the second and later text nodes of a leaf.
    sentence: words that begin the second and later sentences of a text node.
    pointers: first row of each term, then the number of rows.
    """

    ids: Sequence[str] | SpilledNames
    tags: Sequence[str] | SpilledNames
    sources: Sequence[str]  # source keys, by number
    profiles: Sequence[str]  # profile names, by number
    languages: Sequence[str]  # sets of languages, by number; see `FlatDocuments`
    terms: Sequence[bytes]  # UTF-8, sorted
    first_row: Any  # shape (n_documents + 1,)
    columns: Mapping[str, Any]
    pointers: Mapping[str, Any]  # TERM_POINTERS, shape (n_terms + 1,) each
    text_frames: Iterable[bytes]  # three compressed frames per block of documents, see `text_frames`
    block_document: Any  # first document of each block, then n_documents
    attributes: Attributes
    fields: FieldColumns
    images: ImageColumns | None = None
    vectors: VectorColumns | None = None
    forms: Sequence[bytes] = ()  # of the words before stemming, UTF-8, sorted; none if terms are forms

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return len(self.first_row) - 1

    @property
    def n_elements(self) -> int:
        """Number of rows of the element columns."""
        return int(self.first_row[-1:][0])

    @property
    def n_tokens(self) -> int:
        """Number of occurrences of terms."""
        return int(self.pointers["positions"][-1:][0])

    def save(self, folder: Path) -> None:
        """Write the part to a new folder, from which `load` reads it."""
        folder.mkdir()
        single = {"first_row": self.first_row, "block_document": self.block_document}
        shapes = {}  # apart from the numbers: reading the header of a NumPy file takes longer than a small column
        for name, values in {**self.columns, **self.pointers, **single}.items():
            column = np.asarray(values)
            column.tofile(folder / name)
            shapes[name] = column.dtype.str, column.shape
        SlicedStrings.save(folder / "terms", self.terms)
        SlicedStrings.save(folder / "forms", self.forms)
        SlicedStrings.save(folder / "ids", map(str.encode, self.ids))
        SlicedStrings.save(folder / "tags", map(str.encode, self.tags))
        SlicedStrings.save(folder / "text_frames", self.text_frames)
        self.attributes.save(folder / "attributes")
        self.fields.save(folder / "fields")
        if self.images is not None:
            self.images.save(folder / "images")
        lists = {name: list(getattr(self, name)) for name in ("sources", "profiles", "languages")}
        (folder / "lists.json").write_text(json.dumps([lists, shapes]))

    @classmethod
    def load(cls, folder: Path) -> IndexPart:
        """Return the part in a folder; everything that grows with its documents stays on disk."""
        names = (*DOCUMENT_COLUMNS, *ELEMENT_COLUMNS, *chain(*LEVELS.values()), *WORD_COLUMNS)
        lists, shapes = json.loads((folder / "lists.json").read_bytes())
        columns = {
            name: SlicedColumn.spilled(folder / name, np.dtype(dtype), tuple(shape))
            for name, (dtype, shape) in shapes.items()
        }
        return cls(
            **lists,
            ids=SpilledNames(folder / "ids"),
            tags=SpilledNames(folder / "tags"),
            terms=SlicedStrings.spilled(folder / "terms"),
            forms=SlicedStrings.spilled(folder / "forms"),
            first_row=columns["first_row"],
            columns={name: columns[name] for name in names},
            pointers={name: columns[name] for name in TERM_POINTERS},
            text_frames=SlicedStrings.spilled(folder / "text_frames"),
            block_document=columns["block_document"],
            attributes=Attributes.load(folder / "attributes"),
            fields=FieldColumns.load(folder / "fields"),
            images=ImageColumns.load(folder / "images"),
        )


def part_bases(parts: Sequence[IndexPart], what: str) -> Iterator[tuple[IndexPart, int]]:
    """Yield each part with the number of rows (or documents) of the parts before it."""
    base = 0
    for part in parts:
        yield part, base
        base += part.n_elements if what == "rows" else part.n_documents


def most_rows(parts: Sequence[IndexPart]) -> int:
    """Return the number of elements of the longest document."""
    return max((int(np.diff(np.asarray(part.first_row)).max(initial=0)) for part in parts), default=0)


def widest(parts: Sequence[IndexPart], name: str) -> np.dtype[Any]:
    """Return the widest number type that a column has in any of the parts."""
    return max((part.columns[name].dtype for part in parts), key=lambda dtype: dtype.itemsize, default=narrowest(0))
