"""Judgements as columns: arrays with one row per document, element or passage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import compress
from typing import Literal, Self, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from engine.errors import ArgumentError
from engine.field_types import check_mapping, check_sequence, check_texts
from engine.notices import Message
from engine.wording import shown
from eval.numbers import BoolArray, FloatArray, IntArray
from eval.text.paths import root

Scale: TypeAlias = Literal["2002", "2003", "2005", "fol", "trec"]

# Code of exhaustivity ``?`` (INEX 2005): the element is too small.
TOO_SMALL = -1

# Code of an exhaustivity that the file does not contain.
NOT_JUDGED = -2

# Code of a size, length or offset that the file does not contain.
UNKNOWN = -1


@dataclass(frozen=True, eq=False)
class JudgedElements:
    """The judged elements of a topic, one row each, grouped by document.

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
        """Return the elements of a subset of the documents, with their rows renumbered."""
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
        """Mask of the relevant elements: specificity above 0 and exhaustivity not judged 0."""
        relevant: BoolArray = (self.specificity > 0) & (self.exhaustivity != 0)
        return relevant


@dataclass(frozen=True, eq=False)
class Passages:
    """The highlighted passages of a topic, one row each, grouped by document.

    ``starts`` is -1 where the file contains only pointers; ``pointers`` has (start, end) then, else None.
    """

    document_rows: IntArray
    starts: IntArray
    lengths: IntArray
    pointers: Sequence[tuple[str, str] | None]

    def __len__(self) -> int:
        return len(self.pointers)

    def of_documents(self, kept: BoolArray) -> Self:
        """Return the passages of a subset of the documents, with their rows renumbered."""
        mine = kept[self.document_rows]
        return replace(
            self,
            document_rows=(np.cumsum(kept) - 1)[self.document_rows[mine]],
            starts=self.starts[mine],
            lengths=self.lengths[mine],
            pointers=tuple(compress(self.pointers, mine)),
        )


@dataclass(frozen=True, eq=False, repr=False)
class Judgements:
    """The judgements of one topic: judged documents (relevant or not), their elements and their passages.

    Columns of documents, in file order: ``lengths`` (characters), ``highlighted`` (characters; -1 where only the
    passages or elements tell; in TREC qrels the relevance of the document), ``entry_points`` (offset of the best entry
    point) and ``entry_paths`` (the same as a path or pointer); -1 and None where not given. ``pooled``: documents that
    the assessors were to judge, but did not: those of TREC qrels with a negative relevance. Judgements are equal if all
    but their source is.
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
    pooled: frozenset[str] = frozenset()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Judgements):
            return NotImplemented
        return self is other or all(_equal_columns(getattr(self, name), getattr(other, name)) for name in _JUDGED)

    def __hash__(self) -> int:
        return hash((self.topic, self.scale, len(self.documents), len(self.elements), len(self.passages)))

    def __repr__(self) -> str:
        counts = f"documents={len(self.documents)}, elements={len(self.elements)}, passages={len(self.passages)}"
        return f"Judgements({shown(self.topic)}, {counts})"

    @cached_property
    def row_of_document(self) -> Mapping[str, int]:
        """Row of every judged document."""
        return {document: row for row, document in enumerate(self.documents)}

    @cached_property
    def row_of_element(self) -> Mapping[tuple[str, str], int]:
        """Row of every judged element by (document, path)."""
        documents = self.documents
        rows = self.elements.document_rows.tolist()
        return {(documents[row], path): i for i, (row, path) in enumerate(zip(rows, self.elements.paths, strict=True))}

    @cached_property
    def element_bounds(self) -> IntArray:
        """First element row of each document and, last, the number of elements; shape (n_documents + 1,)."""
        return np.searchsorted(self.elements.document_rows, np.arange(len(self.documents) + 1)).astype(np.int64)

    @cached_property
    def passage_bounds(self) -> IntArray:
        """First passage row of each document and, last, the number of passages; shape (n_documents + 1,)."""
        return np.searchsorted(self.passages.document_rows, np.arange(len(self.documents) + 1)).astype(np.int64)

    def document_rows(self, documents: Iterable[str]) -> IntArray:
        """Return the row of each document, -1 for one that was not judged, int64, shape (n,)."""
        known = self.row_of_document
        return np.array([known.get(document, UNKNOWN) for document in documents], dtype=np.int64)

    def root_path(self, row: int) -> str | None:
        """Return the path of the root element of the document in a row, None if no element of it was judged."""
        first, end = self.element_bounds[row : row + 2].tolist()
        return root(self.elements.paths[first]) if first < end else None

    def root_row(self, row: int) -> int:
        """Return the row of the judged root element of the document in a row, -1 if it was not judged."""
        path = self.root_path(row)
        return UNKNOWN if path is None else self.row_of_element.get((self.documents[row], path), UNKNOWN)

    def without(self, rows: Sequence[int]) -> Self:
        """Return the judgements without the documents of the given rows, their elements and passages."""
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


@dataclass(frozen=True, eq=False, repr=False)
class Assessments:
    """The judgements of many topics on one scale, and the notices of reading them.

    Assessments are equal if they contain the same judgements on the same scale; their source is not compared.
    """

    source: str
    scale: Scale
    topics: Mapping[str, Judgements]
    notices: tuple[Message, ...] = ()

    def __post_init__(self) -> None:
        check_texts(self, "source", "scale")
        if self.scale not in get_args(Scale):
            raise ArgumentError(f"scale: expected one of {', '.join(get_args(Scale))}, got {shown(self.scale)}.")
        check_mapping("topics", self.topics, Judgements)
        check_sequence("notices", self.notices, Message)

    def __repr__(self) -> str:
        n_documents = sum(len(judgements.documents) for judgements in self.topics.values())
        counts = f"topics={len(self.topics)}, documents={n_documents}"
        return f"Assessments({shown(self.source)}, {counts}, scale={self.scale!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Assessments):
            return NotImplemented
        return self.scale == other.scale and dict(self.topics) == dict(other.topics)

    def __hash__(self) -> int:
        return hash((self.scale, *self.topics))


def _equal_columns(one: object, other: object) -> bool:
    if isinstance(one, JudgedElements | Passages):
        return all(_equal_columns(getattr(one, each.name), getattr(other, each.name)) for each in fields(one))
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)  # type: ignore[arg-type]
    return one == other


_JUDGED = tuple(each.name for each in fields(Judgements) if each.name != "source")
