"""Merges parts into one: the last step of every build and of compaction.

Parts are in document order, so document and element columns are concatenated, and so are the postings of each term.
Everything is read and written in pieces of bounded size, so memory does not grow with the collection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Array
from engine.columns.ascending_column import AscendingColumnWriter
from engine.columns.byte_column import ByteColumnWriter
from engine.columns.folder_writer import (
    FolderWriter,
    GrowingColumnWriter,
    PlainWriter,
    StringsWriter,
    narrow,
    narrowest,
)
from engine.columns.leaf_column import LeafColumnWriter
from engine.columns.sliced import TermRange, pieces, term_ranges
from engine.index.attribute_columns import write_attributes
from engine.index.field_columns import write_fields
from engine.index.images.image_columns import write_image_columns, write_image_postings
from engine.index.segment import FORMS, SegmentCounts
from engine.index.statistics.tag_sums import N_SUMS, TAG_SUMS, SlicedColumns, count_sums
from engine.indexing.index_part import (
    BYTE_COLUMNS,
    DOCUMENT_COLUMNS,
    ELEMENT_COLUMNS,
    LEVELS,
    TERM_POINTERS,
    WORD_COLUMNS,
    IndexPart,
    most_rows,
    part_bases,
    widest,
)

# Occurrences that are merged at a time, at most and at least; a slice takes up to SLICE_BYTES for each.
SLICE, LEAST_SLICE, SLICE_BYTES = 4_000_000, 250_000, 48
# Share of the memory that a slice may take.
SLICE_SHARE = 4
# Column -> the list of names that it indexes.
NUMBERED = {"tag": "tags", "source": "sources", "profile": "profiles", "language": "languages"}


def merge(
    parts: Sequence[IndexPart],
    writer: FolderWriter,
    articles: FolderWriter,
    advance: Callable[[int], None] | None = None,
    memory: int = 2**30,
) -> SegmentCounts:
    """Write the columns of all parts as one part.

    Args:
        writer: of documents, elements, leaf postings and texts. articles: of terms and article postings.
        advance: progress callback, called with the number of occurrences merged since the last call.
        memory: bytes that may be used; what is written does not depend on it.
    """
    lists = {name: _union(getattr(part, name) for part in parts) for name in NUMBERED.values()}
    n_documents = sum(part.n_documents for part in parts)
    _write_offsets(writer, "first_row", ((part.first_row[1:], base) for part, base in part_bases(parts, "rows")))
    ids = StringsWriter(articles, "ids")
    for part in parts:
        ids.append(document.encode() for document in part.ids)
    ids.finish()
    for name in DOCUMENT_COLUMNS:
        _write_document_column(articles if name in ("length_tokens", "weight") else writer, name, parts, lists)
    for name in ELEMENT_COLUMNS:
        _append_column(writer, name, parts, lists)
    n_words = _write_words(parts, writer)
    _write_tag_sums(parts, writer, lists["tags"])
    write_attributes([part.attributes for part in parts], writer)
    write_fields([part.fields for part in parts], writer)
    if with_images := [part.images for part in parts if part.images is not None]:
        write_image_columns([(part.images, part.n_documents) for part in parts], writer)
        write_image_postings(with_images, writer, memory)
    _write_texts(parts, writer)
    if any(len(part.forms) for part in parts):
        _write_forms(parts, articles)
    slice_size = max(LEAST_SLICE, min(SLICE, memory // (SLICE_SHARE * SLICE_BYTES)))
    n_terms, n_tokens, n_leaf_postings = write_postings(parts, writer, articles, slice_size, advance)
    n_elements = sum(part.n_elements for part in parts)
    return SegmentCounts(lists, n_documents, n_elements, n_leaf_postings, n_terms, n_tokens, n_words)


def _union(lists: Iterator[Sequence[str]] | Any) -> list[str]:
    return sorted({name for names in lists for name in names})


def _write_offsets(writer: FolderWriter, name: str, columns: Iterator[tuple[Any, int]]) -> None:
    """Write a column that begins with 0, joined of columns with the offset of each added."""
    file = GrowingColumnWriter(writer, name)
    file.append(np.zeros(1, np.int64))
    for column, base in columns:
        file.append(np.asarray(column) + base)
    file.finish()


def _renumbered(part: IndexPart, name: str, lists: dict[str, list[str]]) -> Iterator[Array]:
    """Yield a part's column in pieces, with tags, sources and profiles numbered as in the merged part."""
    if name not in NUMBERED:
        yield from pieces(part.columns[name])
        return
    merged = {member: number for number, member in enumerate(lists[NUMBERED[name]])}
    numbers = narrow(np.array([merged[member] for member in getattr(part, NUMBERED[name])], np.int64))
    for piece in pieces(part.columns[name]):
        yield numbers[piece]


def _write_document_column(
    writer: FolderWriter, name: str, parts: Sequence[IndexPart], lists: dict[str, list[str]]
) -> None:
    values = (piece for part in parts for piece in _renumbered(part, name, lists))
    if name in ("digest", "weight"):
        shape = (sum(part.n_documents for part in parts), *parts[0].columns[name].shape[1:])
        file = writer.start_column(name, parts[0].columns[name].dtype, shape)
        for piece in values:
            file.append(piece)
        writer.finish(file)
        return
    growing = GrowingColumnWriter(writer, name)
    for piece in values:
        growing.append(piece)
    growing.finish()


def _append_column(writer: FolderWriter, name: str, parts: Sequence[IndexPart], lists: dict[str, list[str]]) -> None:
    n_elements = sum(part.n_elements for part in parts)
    if name in BYTE_COLUMNS:
        mostly_small = ByteColumnWriter(writer, name, n_elements)
        for part in parts:
            for piece in pieces(part.columns[name]):
                mostly_small.append(piece)
        mostly_small.finish()
        return
    dtype = narrowest(len(lists["tags"]) - 1) if name == "tag" else widest(parts, name)
    file = writer.start_column(name, dtype, (n_elements,))
    for part in parts:
        for piece in _renumbered(part, name, lists):
            file.append(piece.astype(dtype, copy=False))
    writer.finish(file)


def _write_words(parts: Sequence[IndexPart], writer: FolderWriter) -> int:
    """Write the columns of word numbers; return the number of words."""
    n_words = [int(part.columns["word"][-1:][0]) for part in parts]
    for name in WORD_COLUMNS:
        # The last word is the number of words, which equals the next part's first word.
        closing = 1 if name == "word" else 0
        file = AscendingColumnWriter(writer, name)
        for number, part in enumerate(parts):
            column = part.columns[name]
            left = len(column) - (closing if number < len(parts) - 1 else 0)
            for piece in pieces(column):
                file.append(piece[:left].astype(np.int64) + sum(n_words[:number]))
                left -= len(piece)
        file.finish()
    return sum(n_words)


def _write_tag_sums(parts: Sequence[IndexPart], writer: FolderWriter, tags: Sequence[str]) -> None:
    """Write the sums over the elements of each tag."""
    numbers = {tag: number for number, tag in enumerate(tags)}
    sums = np.zeros((N_SUMS, len(tags)), np.int64)
    for part in parts:
        slices = (partial(_slice, part.columns[name]) for name in ("tag", "word", "extent"))
        columns = SlicedColumns(np.asarray(part.first_row), *slices)
        sums[:, [numbers[tag] for tag in part.tags]] += count_sums(columns, len(part.tags))
    writer.column(TAG_SUMS, narrow(sums))


def _slice(column: Any, start: int, stop: int) -> Array:
    return np.asarray(column[start:stop])


def _write_texts(parts: Sequence[IndexPart], writer: FolderWriter) -> None:
    blocks = GrowingColumnWriter(writer, "block_document")
    for part, base in part_bases(parts, "documents"):
        blocks.append(np.asarray(part.block_document[:-1]) + base)
    blocks.append(np.array([sum(part.n_documents for part in parts)]))
    blocks.finish()
    frames = StringsWriter(writer, "text_frames")
    for part in parts:
        frames.append(part.text_frames)
    frames.finish()


def _write_forms(parts: Sequence[IndexPart], writer: FolderWriter) -> None:
    """Write the words before stemming."""
    forms = StringsWriter(writer, FORMS)
    for each in term_ranges([part.forms for part in parts]):
        forms.append(each.terms)
    forms.finish()


# Columns, and levels whose pointers are, in the folder of the articles; the others are in that of the elements.
ARTICLE_POSTINGS = ("document", "tf", "opening_tf")
ARTICLE_POINTERS = ("postings", "positions")


def write_postings(
    parts: Sequence[IndexPart],
    writer: FolderWriter,
    articles: FolderWriter,
    slice_size: int,
    advance: Callable[[int], None] | None,
) -> tuple[int, int, int]:
    """Write terms, pointers and postings; return the numbers of terms, occurrences and leaf postings."""
    files = _PostingsWriter(parts, writer, articles)
    terms = StringsWriter(articles, "terms")
    pointers = {
        level: AscendingColumnWriter(articles if level in ARTICLE_POINTERS else writer, f"{level}_of_term")
        for level in TERM_POINTERS
    }
    for file in pointers.values():
        file.append(np.zeros(1, np.int64))
    n_terms = 0
    n_rows = dict.fromkeys(TERM_POINTERS, 0)
    for each in term_ranges([part.terms for part in parts]):
        postings = _RangePostings(parts, each)
        terms.append(each.terms)
        n_terms += len(each.terms)
        for level in TERM_POINTERS:
            pointers[level].append(postings.pointers[level][1:] + n_rows[level])
            n_rows[level] += int(postings.pointers[level][-1])
        for first, last in _slices(postings.pointers["positions"], slice_size):
            postings.write(first, last, files, slice_size)
            if advance:
                advance(int(postings.pointers["positions"][last] - postings.pointers["positions"][first]))
    for column in pointers.values():
        column.finish()
    terms.finish()
    files.finish()
    return n_terms, n_rows["positions"], n_rows["leaves"]


class _PostingsWriter:
    """Writes the columns of the postings.

    dtypes: number types of their slices in memory, by name.
    """

    def __init__(self, parts: Sequence[IndexPart], writer: FolderWriter, articles: FolderWriter) -> None:
        n_rows = {name: sum(len(part.columns[name]) for part in parts) for names in LEVELS.values() for name in names}
        self.dtypes = {name: widest(parts, name) for name in n_rows}
        self.dtypes["document"] = narrowest(max(sum(part.n_documents for part in parts) - 1, 0))
        self._documents = PlainWriter(articles, "document", n_rows["document"], dtype=self.dtypes["document"])
        self._leaves = LeafColumnWriter(writer, n_rows["leaf"], most_rows(parts))
        self._small = {
            name: ByteColumnWriter(articles if name in ARTICLE_POSTINGS else writer, name, n_rows[name])
            for name in BYTE_COLUMNS
            if name in n_rows
        }

    def append(self, columns: Mapping[str, Array]) -> None:
        """Append rows of one level, all of its columns."""
        if "leaf" in columns:
            self._leaves.append(columns["leaf"], columns["leaf_tf"])
        if "document" in columns:
            self._documents.append(columns["document"].astype(self.dtypes["document"], copy=False))
        for name in self._small.keys() & columns.keys():
            self._small[name].append(columns[name])

    def finish(self) -> None:
        """Close the columns."""
        self._documents.finish()
        self._leaves.finish()
        for column in self._small.values():
            column.finish()


class _RangePostings:
    """The postings of all parts for the terms of one range."""

    def __init__(self, parts: Sequence[IndexPart], terms: TermRange) -> None:
        self._parts = parts
        self._numbers = terms.numbers()
        self._own_pointers: dict[str, list[NDArray[np.int64]]] = {}
        # Per level, shape (n_terms + 1,): rows of the merged terms, counted from the beginning of the range.
        self.pointers: dict[str, NDArray[np.int64]] = {}
        for level in TERM_POINTERS:
            own = [
                np.asarray(part.pointers[level][first : first + len(numbers) + 1])
                for part, first, numbers in zip(parts, terms.firsts, self._numbers, strict=True)
            ]
            counts = np.zeros(len(terms.terms) + 1, np.int64)
            for numbers, rows in zip(self._numbers, own, strict=True):
                counts[numbers + 1] += np.diff(rows)
            self._own_pointers[level] = own
            self.pointers[level] = np.cumsum(counts)

    def write(self, first: int, last: int, files: _PostingsWriter, slice_size: int) -> None:
        """Write the postings of the terms from first to last, which are few or belong to one term."""
        for level in LEVELS:
            n_rows = int(self.pointers[level][last] - self.pointers[level][first])
            if n_rows > slice_size:
                self._copy(first, level, files, slice_size)
            else:
                self._write_level(first, last, level, files, n_rows)

    def _copy(self, term: int, level: str, files: _PostingsWriter, slice_size: int) -> None:
        """Write the rows of one term: those of the parts, one after the other."""
        for part, base, own, numbers in self._of_parts(level):
            place = int(np.searchsorted(numbers, term))
            if place == len(numbers) or numbers[place] != term:
                continue
            for begin in range(int(own[place]), int(own[place + 1]), slice_size):
                rows = slice(begin, min(begin + slice_size, int(own[place + 1])))
                files.append({name: _values(part, name, rows, base) for name in LEVELS[level]})

    def _write_level(self, first: int, last: int, level: str, files: _PostingsWriter, n_rows: int) -> None:
        merged = {name: np.empty(n_rows, files.dtypes[name]) for name in LEVELS[level]}
        filled = self.pointers[level][first:last] - self.pointers[level][first]  # per term: position of its next row
        for part, base, own, numbers in self._of_parts(level):
            a, b = np.searchsorted(numbers, [first, last]).tolist()
            if a == b:
                continue
            starts = own[a : b + 1]
            counts = np.diff(starts)
            terms = numbers[a:b] - first
            rows = slice(int(starts[0]), int(starts[-1]))
            where = np.arange(rows.stop - rows.start)
            where += np.repeat(filled[terms] - (starts[:-1] - starts[0]), counts)
            filled[terms] += counts
            for name, values in merged.items():
                values[where] = _values(part, name, rows, base)
        files.append(merged)

    def _of_parts(self, level: str) -> Iterator[tuple[IndexPart, int, NDArray[np.int64], NDArray[np.int64]]]:
        """Yield each part with its first document, its pointers, and the numbers of its terms."""
        bases = part_bases(self._parts, "documents")
        for (part, base), own, numbers in zip(bases, self._own_pointers[level], self._numbers, strict=True):
            yield part, base, own, numbers


def _values(part: IndexPart, name: str, rows: slice, base: int) -> Array:
    """Return rows of a column of a part; documents are counted from `base`."""
    values: Array = part.columns[name][rows]
    return values + np.int64(base) if name == "document" else values


def _slices(occurrences: NDArray[np.int64], slice_size: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of terms with at most so many occurrences each, or of a single term."""
    first, n_terms = 0, len(occurrences) - 1
    while first < n_terms:
        last = int(np.searchsorted(occurrences, occurrences[first] + slice_size, side="right")) - 1
        last = min(max(last, first + 1), n_terms)
        yield first, last
        first = last
