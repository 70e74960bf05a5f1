"""A part: the columns of some documents. Batches become parts, parts are merged to segments, segments are parts again.

Groups of columns, all addressed by running numbers, so that a group of one is a slice:

    documents   ids, content digests, sizes, source, profile, first row, lengths, number of leaves, weight W_d
    elements    tag, distance to the parent, rows of the subtree, depth, ordinal
    postings    a term -> (document, tf, number of leaves) -> (leaf row in its document, tf) -> positions
    words       numbers of words, ascending: each element's first, those that begin a text node or a sentence
    attributes  see attributes
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

from engine.index.attributes import Attributes

Array = NDArray[Any]

DOCUMENT_COLUMNS = ("digest", "size_bytes", "source", "profile", "length_tokens", "leaf_count", "weight", "text_bytes")
ELEMENT_COLUMNS = ("tag", "parent", "extent", "depth", "ordinal")
POSTING_COLUMNS = ("document", "tf", "n_leaves")  # one row a (term, document)
LEAF_COLUMNS = ("leaf", "leaf_tf")  # one row a (term, leaf)
POSITION_COLUMNS = ("position",)  # one row an occurrence
WORD_COLUMNS = ("word", "text_node", "sentence")
TERM_POINTERS = ("postings", "leaves", "positions")  # where each term's rows of the three begin
LEVELS = dict(zip(TERM_POINTERS, (POSTING_COLUMNS, LEAF_COLUMNS, POSITION_COLUMNS), strict=True))


@dataclass(frozen=True)
class Part:
    """The columns of some documents; see the module for their groups.

    parent is the distance in rows up to the parent (0 for a root), extent the rows of the subtree, leaf the row of a
    leaf counted from its document's root, position the place of an occurrence among the words of the leaf's own text.
    Words are numbered through all leaves; word has one entry more than there are elements, the number of words;
    text_node has the words with which a new text node begins inside a leaf, sentence those with which a sentence begins
    inside a text node. Pointers have one entry more than what they point into.
    """

    ids: Sequence[str]
    tags: Sequence[str]
    sources: Sequence[str]  # source keys, by number
    profiles: Sequence[str]  # profile names, by number
    terms: Iterable[bytes]  # UTF-8, sorted
    first_row: NDArray[np.int64]  # shape (n_documents + 1,)
    columns: Mapping[str, Any]  # arrays, or columns that are read like arrays
    pointers: Mapping[str, NDArray[np.int64]]  # TERM_POINTERS, shape (n_terms + 1,) each
    text_frames: Iterable[bytes]  # see texts: three compressed frames a block of documents
    block_document: NDArray[np.int64]  # first document of each block, then n_documents
    attributes: Attributes

    @property
    def n_elements(self) -> int:
        """Rows of the element columns."""
        return int(self.first_row[-1])

    def save(self, folder: Path) -> None:
        """Spill the part to a folder, for `load`."""
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
        lists = {name: getattr(self, name) for name in ("ids", "tags", "sources", "profiles")}
        (folder / "lists.json").write_text(json.dumps({name: list(values) for name, values in lists.items()}))

    @classmethod
    def load(cls, folder: Path) -> Part:
        """Return a spilled part; columns, terms and texts stay in their files until they are read."""
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
    """A column in a file, read slice by slice; `np.asarray` reads it all."""

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
    """Terms in a file, a line each, read anew at every pass."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __iter__(self) -> Iterator[bytes]:
        terms = self._path.read_bytes()
        return iter(terms.split(b"\n") if terms else [])


class SpilledFrames:
    """Text frames in a file, read one by one."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __iter__(self) -> Iterator[bytes]:
        offsets = np.load(self._path.with_suffix(".npy")).tolist()
        with self._path.open("rb") as file:
            for start, stop in pairwise(offsets):
                yield file.read(stop - start)
