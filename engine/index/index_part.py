"""A part: the columns of some documents, in memory or on disk, before they are merged into a segment.

Compaction turns segments into parts again. There are five groups of columns; the rows that belong to one document or
term are consecutive:

    documents   ids, content digests, sizes, source, profile, languages, first row, lengths, leaf counts, weight W_d
    elements    tag, distance to the parent, rows of the subtree, depth, ordinal
    postings    term -> (document, tf, number of leaves) -> (leaf row in its document, tf) -> positions
    words       word numbers, ascending: each element's first word; words that begin a text node or a sentence
    attributes  see `attribute_columns`
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.index.attribute_columns import Attributes

Array = NDArray[Any]

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
# One row per term and document.
POSTING_COLUMNS = ("document", "tf", "n_leaves")
# One row per term and leaf.
LEAF_COLUMNS = ("leaf", "leaf_tf")
# One row per occurrence.
POSITION_COLUMNS = ("position",)
WORD_COLUMNS = ("word", "text_node", "sentence")
# First row of each term in the three levels of postings.
TERM_POINTERS = ("postings", "leaves", "positions")
LEVELS = dict(zip(TERM_POINTERS, (POSTING_COLUMNS, LEAF_COLUMNS, POSITION_COLUMNS), strict=True))


@dataclass(frozen=True)
class Part:
    """The columns of some documents; the module lists the groups.

    parent: distance in rows to the parent, 0 for roots. extent: number of rows of the subtree.
    leaf: row of the leaf relative to its document's root. position: index of the occurrence in the leaf's own words.
    word: number of each element's first word, then the number of words: shape (n_elements + 1,).
    text_node: words that begin the second and later text nodes of a leaf.
    sentence: words that begin the second and later sentences of a text node.
    pointers: first row of each term, then the number of rows.
    """

    ids: Sequence[str]
    tags: Sequence[str]
    sources: Sequence[str]  # source keys, by number
    profiles: Sequence[str]  # profile names, by number
    languages: Sequence[str]  # sets of languages, by number; see `FlatDocuments`
    terms: Iterable[bytes]  # UTF-8, sorted
    first_row: NDArray[np.int64]  # shape (n_documents + 1,)
    columns: Mapping[str, Any]  # arrays, or `SpilledColumn`s, which are read like arrays
    pointers: Mapping[str, NDArray[np.int64]]  # TERM_POINTERS, shape (n_terms + 1,) each
    text_frames: Iterable[bytes]  # three compressed frames per block of documents, see `text_frames`
    block_document: NDArray[np.int64]  # first document of each block, then n_documents
    attributes: Attributes

    @property
    def n_elements(self) -> int:
        """Number of rows of the element columns."""
        return int(self.first_row[-1])

    def save(self, folder: Path) -> None:
        """Write the part to a new folder, from which `load` reads it."""
        folder.mkdir()
        for name, values in (*self.columns.items(), *self.pointers.items()):
            np.save(folder / f"{name}.npy", values)
        np.save(folder / "first_row.npy", self.first_row)
        np.save(folder / "block_document.npy", self.block_document)
        (folder / "terms").write_bytes(b"\n".join(self.terms))
        self.attributes.save(folder / "attributes")
        frames = list(self.text_frames)
        np.save(folder / "text_frames.npy", np.cumsum([0, *map(len, frames)]))
        (folder / "text_frames").write_bytes(b"".join(frames))
        lists = {name: getattr(self, name) for name in ("ids", "tags", "sources", "profiles", "languages")}
        (folder / "lists.json").write_text(json.dumps({name: list(values) for name, values in lists.items()}))

    @classmethod
    def load(cls, folder: Path) -> Part:
        """Return the part in a folder; columns, terms and texts stay on disk until they are used."""
        names = (*DOCUMENT_COLUMNS, *ELEMENT_COLUMNS, *chain(*LEVELS.values()), *WORD_COLUMNS)
        return cls(
            **json.loads((folder / "lists.json").read_bytes()),
            terms=SpilledTerms(folder / "terms"),
            first_row=np.load(folder / "first_row.npy"),
            columns={name: SpilledColumn(folder / f"{name}.npy") for name in names},
            pointers={name: np.load(folder / f"{name}.npy") for name in TERM_POINTERS},
            text_frames=SpilledFrames(folder / "text_frames"),
            block_document=np.load(folder / "block_document.npy"),
            attributes=Attributes.load(folder / "attributes"),
        )


class SpilledColumn:
    """A column on disk, read slice by slice; `np.asarray` reads all of it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with path.open("rb") as file:
            np.lib.format.read_magic(file)
            self.shape, _, self.dtype = np.lib.format.read_array_header_1_0(file)
            self._offset = file.tell()

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice) -> Array:
        start, stop, _ = rows.indices(len(self))
        width = int(np.prod(self.shape[1:]))
        offset = self._offset + start * width * self.dtype.itemsize
        values = np.fromfile(self._path, self.dtype, (stop - start) * width, offset=offset)
        return values.reshape(stop - start, *self.shape[1:])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self[:] if dtype is None else self[:].astype(dtype)


class SpilledTerms:
    """Terms on disk, one per line, read again by every iteration."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __iter__(self) -> Iterator[bytes]:
        terms = self._path.read_bytes()
        return iter(terms.split(b"\n") if terms else [])


class SpilledFrames:
    """Text frames on disk, read one by one."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __iter__(self) -> Iterator[bytes]:
        offsets = np.load(self._path.with_suffix(".npy")).tolist()
        with self._path.open("rb") as file:
            for start, stop in pairwise(offsets):
                yield file.read(stop - start)
