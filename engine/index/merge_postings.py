"""Merges the postings of parts, term by term in slices of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.index.byte_column import ByteColumnWriter
from engine.index.checksum_writer import FolderWriter, PlainWriter
from engine.index.dtypes import narrowest
from engine.index.growing_column import GrowingColumnWriter, StringsWriter
from engine.index.index_part import LEVELS, TERM_POINTERS, Part, part_bases, widest
from engine.index.term_ranges import TermRange, term_ranges

Array = NDArray[Any]

# Posting columns in the folder of the articles; the others are in that of the elements.
ARTICLE_POSTINGS = ("document", "tf")
BYTE_COLUMNS = ("tf", "n_leaves", "leaf_tf", "position")


def write_postings(
    parts: Sequence[Part],
    writer: FolderWriter,
    articles: FolderWriter,
    slice_size: int,
    advance: Callable[[int], None] | None,
) -> tuple[int, int, int]:
    """Write terms, pointers and postings; return the numbers of terms, occurrences and leaf postings."""
    files = _posting_files(parts, writer, articles)
    terms = StringsWriter(articles, "terms")
    pointers = {
        level: GrowingColumnWriter(articles if level == "postings" else writer, f"{level}_of_term")
        for level in TERM_POINTERS
    }
    for file in pointers.values():
        file.append(np.zeros(1, np.int64))
    occurrences = GrowingColumnWriter(articles, "occurrences_of_term")
    n_terms = 0
    n_rows = dict.fromkeys(TERM_POINTERS, 0)
    for each in term_ranges([part.terms for part in parts]):
        postings = _RangePostings(parts, each)
        terms.append(each.terms)
        n_terms += len(each.terms)
        for level in TERM_POINTERS:
            pointers[level].append(postings.pointers[level][1:] + n_rows[level])
            n_rows[level] += int(postings.pointers[level][-1])
        occurrences.append(np.diff(postings.pointers["positions"]))
        for first, last in _slices(postings.pointers["positions"], slice_size):
            postings.write(first, last, files, slice_size)
            if advance:
                advance(int(postings.pointers["positions"][last] - postings.pointers["positions"][first]))
    for each_file in (terms, *pointers.values(), occurrences, *(file.writer for file in files.values())):
        each_file.finish()
    return n_terms, n_rows["positions"], n_rows["leaves"]


class _PostingFile(NamedTuple):
    """A column of postings that is being written, and the number type of its slices in memory."""

    writer: PlainWriter | ByteColumnWriter
    dtype: np.dtype[Any]

    def append(self, values: Array) -> None:
        self.writer.append(values.astype(self.dtype, copy=False))


PostingFiles = dict[str, _PostingFile]


def _posting_files(parts: Sequence[Part], writer: FolderWriter, articles: FolderWriter) -> PostingFiles:
    """Return a writer for each column of the postings."""
    n_documents = sum(part.n_documents for part in parts)
    files: PostingFiles = {}
    for names in LEVELS.values():
        for name in names:
            dtype = narrowest(max(n_documents - 1, 0)) if name == "document" else widest(parts, name)
            start = ByteColumnWriter if name in BYTE_COLUMNS else partial(PlainWriter, dtype=dtype)
            folder = articles if name in ARTICLE_POSTINGS else writer
            files[name] = _PostingFile(start(folder, name, sum(len(part.columns[name]) for part in parts)), dtype)
    return files


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

    def write(self, first: int, last: int, files: PostingFiles, slice_size: int) -> None:
        """Write the postings of the terms from first to last, which are few or belong to one term."""
        for level, names in LEVELS.items():
            n_rows = int(self.pointers[level][last] - self.pointers[level][first])
            if n_rows > slice_size:
                self._copy(first, level, files, slice_size)
            else:
                self._write_level(first, last, level, {name: files[name] for name in names}, n_rows)

    def _copy(self, term: int, level: str, files: PostingFiles, slice_size: int) -> None:
        """Write the rows of one term: those of the parts, one after the other."""
        for part, base, own, numbers in self._of_parts(level):
            place = int(np.searchsorted(numbers, term))
            if place == len(numbers) or numbers[place] != term:
                continue
            for begin in range(int(own[place]), int(own[place + 1]), slice_size):
                rows = slice(begin, min(begin + slice_size, int(own[place + 1])))
                for name in LEVELS[level]:
                    values = part.columns[name][rows]
                    files[name].append(values + np.int64(base) if name == "document" else values)

    def _write_level(self, first: int, last: int, level: str, files: PostingFiles, n_rows: int) -> None:
        merged = {name: np.empty(n_rows, files[name].dtype) for name in files}
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
            for name in files:
                values = part.columns[name][rows]
                merged[name][where] = values + np.int64(base) if name == "document" else values
        for name, file in files.items():
            file.append(merged[name])

    def _of_parts(self, level: str) -> Iterator[tuple[Part, int, NDArray[np.int64], NDArray[np.int64]]]:
        """Yield each part with its first document, its pointers, and the numbers of its terms."""
        bases = part_bases(self._parts, "documents")
        for (part, base), own, numbers in zip(bases, self._own_pointers[level], self._numbers, strict=True):
            yield part, base, own, numbers


def _slices(occurrences: NDArray[np.int64], slice_size: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of terms with at most so many occurrences each, or of a single term."""
    first, n_terms = 0, len(occurrences) - 1
    while first < n_terms:
        last = int(np.searchsorted(occurrences, occurrences[first] + slice_size, side="right")) - 1
        last = min(max(last, first + 1), n_terms)
        yield first, last
        first = last
