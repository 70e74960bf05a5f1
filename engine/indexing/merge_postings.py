"""Merges the postings of parts, term by term in slices of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.array_types import Array
from engine.columns.ascending_column import AscendingColumnWriter
from engine.columns.byte_column import ByteColumnWriter
from engine.columns.checksum_writer import FolderWriter, PlainWriter
from engine.columns.dtypes import narrowest
from engine.columns.growing_column import StringsWriter
from engine.columns.leaf_column import LeafColumnWriter
from engine.columns.term_ranges import TermRange, term_ranges
from engine.indexing.index_part import BYTE_COLUMNS, LEVELS, TERM_POINTERS, Part, most_rows, part_bases, widest

# Columns, and levels whose pointers are, in the folder of the articles; the others are in that of the elements.
ARTICLE_POSTINGS = ("document", "tf", "opening_tf")
ARTICLE_POINTERS = ("postings", "positions")


def write_postings(
    parts: Sequence[Part],
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

    def __init__(self, parts: Sequence[Part], writer: FolderWriter, articles: FolderWriter) -> None:
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

    def __init__(self, parts: Sequence[Part], terms: TermRange) -> None:
        self._parts = parts
        self._numbers = terms.numbers
        self._own_pointers: dict[str, list[NDArray[np.int64]]] = {}
        # Per level, shape (n_terms + 1,): rows of the merged terms, counted from the beginning of the range.
        self.pointers: dict[str, NDArray[np.int64]] = {}
        for level in TERM_POINTERS:
            own = [
                np.asarray(part.pointers[level][first : first + len(numbers) + 1])
                for part, first, numbers in zip(parts, terms.firsts, terms.numbers, strict=True)
            ]
            counts = np.zeros(len(terms.terms) + 1, np.int64)
            for numbers, rows in zip(terms.numbers, own, strict=True):
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

    def _of_parts(self, level: str) -> Iterator[tuple[Part, int, NDArray[np.int64], NDArray[np.int64]]]:
        """Yield each part with its first document, its pointers, and the numbers of its terms."""
        bases = part_bases(self._parts, "documents")
        for (part, base), own, numbers in zip(bases, self._own_pointers[level], self._numbers, strict=True):
            yield part, base, own, numbers


def _values(part: Part, name: str, rows: slice, base: int) -> Array:
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
