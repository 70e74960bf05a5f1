"""Judgements in columns: one value a topic, arrays inside, never an object an element."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from eval.geometry import BoolArray, FloatArray, IntArray

Scale: TypeAlias = Literal["2002", "2003", "2005", "fol"]

TOO_SMALL = -1
"""Code of exhaustivity ``?`` (INEX 2005): the element is too small to be exhaustive."""

NOT_JUDGED = -2
"""Code of an exhaustivity that the file does not give."""

UNKNOWN = -1
"""A size, length or offset that the file does not give."""


@dataclass(frozen=True, eq=False)
class JudgedElements:
    """The judged elements of a topic, one row each, rows of one document together.

    ``specificity`` is 0 to 3 on the 2002 and 2003 scales, the share of highlighted text from 2005 on (it may pass 1
    where rsize passes size: files are not repaired). ``sizes`` and ``rsizes`` are characters, -1 where not given.
    """

    document_rows: IntArray
    paths: Sequence[str]
    exhaustivity: npt.NDArray[np.int8]
    specificity: FloatArray
    sizes: IntArray
    rsizes: IntArray

    def __len__(self) -> int:
        return len(self.paths)

    def of_documents(self, kept: BoolArray) -> Self:
        """Return the elements of the documents that are kept, for the columns of those documents."""
        mine = kept[self.document_rows]
        return replace(
            self,
            document_rows=(np.cumsum(kept) - 1)[self.document_rows[mine]],
            paths=tuple(compress(self.paths, mine)),
            exhaustivity=self.exhaustivity[mine],
            specificity=self.specificity[mine],
            sizes=self.sizes[mine],
            rsizes=self.rsizes[mine],
        )

    @property
    def relevant(self) -> BoolArray:
        """Which elements hold relevant text: specificity above 0 and exhaustivity not judged 0."""
        relevant: BoolArray = (self.specificity > 0) & (self.exhaustivity != 0)
        return relevant


@dataclass(frozen=True, eq=False)
class Passages:
    """The highlighted passages of a topic, one row each, rows of one document together.

    ``starts`` is -1 where the file gives pointers only; then ``pointers`` holds their (start, end), else None.
    """

    document_rows: IntArray
    starts: IntArray
    lengths: IntArray
    pointers: Sequence[tuple[str, str] | None]

    def __len__(self) -> int:
        return len(self.pointers)

    def of_documents(self, kept: BoolArray) -> Self:
        """Return the passages of the documents that are kept, for the columns of those documents."""
        mine = kept[self.document_rows]
        return replace(
            self,
            document_rows=(np.cumsum(kept) - 1)[self.document_rows[mine]],
            starts=self.starts[mine],
            lengths=self.lengths[mine],
            pointers=tuple(compress(self.pointers, mine)),
        )


@dataclass(frozen=True, eq=False)
class Judgements:
    """What was judged for one topic: documents (relevant or not), their elements and their passages.

    Columns of documents, in file order: ``lengths`` (characters), ``highlighted`` (characters; -1 where only the
    passages or elements tell), ``entry_points`` (offset of the best entry point) and ``entry_paths`` (the same as a
    path or pointer); -1 and None where not given. Equal only to itself, so that what is derived from judgements can be
    cached by them.
    """

    topic: str
    scale: Scale
    source: str
    documents: tuple[str, ...]
    lengths: IntArray
    highlighted: IntArray
    entry_points: IntArray
    entry_paths: tuple[str | None, ...]
    elements: JudgedElements
    passages: Passages

    @cached_property
    def row_of_document(self) -> Mapping[str, int]:
        """Return the row of every judged document."""
        return {document: row for row, document in enumerate(self.documents)}

    @cached_property
    def row_of_element(self) -> Mapping[tuple[str, str], int]:
        """Return the row of every judged element by (document, path)."""
        documents = self.documents
        rows = self.elements.document_rows.tolist()
        return {(documents[row], path): i for i, (row, path) in enumerate(zip(rows, self.elements.paths, strict=True))}

    @cached_property
    def element_bounds(self) -> IntArray:
        """Return where the elements of document i start, row i of shape (n_documents + 1,)."""
        return np.searchsorted(self.elements.document_rows, np.arange(len(self.documents) + 1)).astype(np.int64)

    @cached_property
    def passage_bounds(self) -> IntArray:
        """Return where the passages of document i start, row i of shape (n_documents + 1,)."""
        return np.searchsorted(self.passages.document_rows, np.arange(len(self.documents) + 1)).astype(np.int64)

    def without(self, rows: Sequence[int]) -> Self:
        """Return the judgements without the documents of some rows, their elements and their passages."""
        if not rows:
            return self
        kept = np.ones(len(self.documents), dtype=np.bool_)
        kept[list(rows)] = False
        return replace(
            self,
            documents=tuple(compress(self.documents, kept)),
            lengths=self.lengths[kept],
            highlighted=self.highlighted[kept],
            entry_points=self.entry_points[kept],
            entry_paths=tuple(compress(self.entry_paths, kept)),
            elements=self.elements.of_documents(kept),
            passages=self.passages.of_documents(kept),
        )


@dataclass(frozen=True)
class Assessments:
    """The judgements of many topics, all on one scale, and what was noticed while reading them."""

    source: str
    scale: Scale
    topics: Mapping[str, Judgements]
    notices: tuple[str, ...] = ()
