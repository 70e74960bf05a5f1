"""Merges parts into one: the last step of every build and of compaction.

Parts are in document order, so document and element columns are concatenated, and so are the postings of each term.
Terms are processed in slices of bounded size, so memory does not grow with the collection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.index.ascending_column import AscendingColumnWriter
from engine.index.attribute_columns import Attributes
from engine.index.byte_column import ByteColumnWriter
from engine.index.checksum_writer import FolderWriter, PlainWriter
from engine.index.dtypes import narrow, narrowest
from engine.index.index_part import DOCUMENT_COLUMNS, ELEMENT_COLUMNS, LEVELS, TERM_POINTERS, WORD_COLUMNS, Part
from engine.index.segment_description import SegmentCounts

Array = NDArray[Any]

# Occurrences that are merged at a time, which bounds memory to some hundred megabytes.
SLICE = 4_000_000
# Posting columns in the folder of the articles; the others are in that of the elements.
ARTICLE_POSTINGS = ("document", "tf")
BYTE_COLUMNS = ("tf", "n_leaves", "leaf_tf", "position")
# Column -> the list of names that it indexes.
NUMBERED = {"tag": "tags", "source": "sources", "profile": "profiles", "language": "languages"}


def merge(
    parts: Sequence[Part], writer: FolderWriter, articles: FolderWriter, advance: Callable[[int], None] | None = None
) -> SegmentCounts:
    """Write the columns of all parts as one part.

    Args:
        writer: of documents, elements, leaf postings and texts. articles: of terms and article postings.
        advance: progress callback, called with the number of occurrences merged since the last call.
    """
    lists = {name: _union(getattr(part, name) for part in parts) for name in NUMBERED.values()}
    n_documents = sum(len(part.ids) for part in parts)
    first_row = np.concatenate([[0], *(part.first_row[1:] + base for part, base in _bases(parts, "rows"))])
    writer.column("first_row", narrow(first_row.astype(np.int64)))
    articles.strings("ids", (document.encode() for part in parts for document in part.ids))
    for name in DOCUMENT_COLUMNS:
        joined = np.concatenate([_renumbered(part, name, lists) for part in parts])
        target = articles if name in ("length_tokens", "weight") else writer
        target.column(name, joined if name == "weight" else narrow(joined))
    for name in ELEMENT_COLUMNS:
        _append_column(writer, name, parts, lists)
    n_words = _write_words(parts, writer)
    Attributes.joined([part.attributes for part in parts]).write(writer)
    _write_texts(parts, writer)
    n_terms, n_tokens, n_leaf_postings = _write_postings(parts, writer, articles, advance)
    return SegmentCounts(lists, n_documents, int(first_row[-1]), n_leaf_postings, n_terms, n_tokens, n_words)


def _union(lists: Iterator[Sequence[str]] | Any) -> list[str]:
    return sorted({name for names in lists for name in names})


def _bases(parts: Sequence[Part], what: str) -> Iterator[tuple[Part, int]]:
    """Yield each part with the number of rows (or documents) of the parts before it."""
    base = 0
    for part in parts:
        yield part, base
        base += part.n_elements if what == "rows" else len(part.ids)


def _renumbered(part: Part, name: str, lists: dict[str, list[str]]) -> Array:
    """Return a part's column, with tags, sources and profiles numbered as in the merged part."""
    values: Array = np.asarray(part.columns[name])
    if name not in NUMBERED:
        return values
    merged = {member: number for number, member in enumerate(lists[NUMBERED[name]])}
    numbers = np.array([merged[member] for member in getattr(part, NUMBERED[name])], np.int64)
    renumbered: Array = narrow(numbers)[values]
    return renumbered


def _append_column(writer: FolderWriter, name: str, parts: Sequence[Part], lists: dict[str, list[str]]) -> None:
    values = (_renumbered(part, name, lists) for part in parts)
    dtype = narrowest(len(lists["tags"]) - 1) if name == "tag" else _widest(parts, name)
    file = writer.start_column(name, dtype, (sum(part.n_elements for part in parts),))
    for column in values:
        file.append(column.astype(dtype, copy=False))
    writer.finish(file)


def _widest(parts: Sequence[Part], name: str) -> np.dtype[Any]:
    return max((part.columns[name].dtype for part in parts), key=lambda dtype: dtype.itemsize, default=narrowest(0))


def _write_words(parts: Sequence[Part], writer: FolderWriter) -> int:
    """Write the columns of word numbers; return the number of words."""
    n_words = [int(part.columns["word"][-1:][0]) for part in parts]
    for name in WORD_COLUMNS:
        closing = (
            1 if name == "word" else 0
        )  # the last entry is the number of words, which equals the next part's first entry
        file = AscendingColumnWriter(writer, name, sum(len(part.columns[name]) - closing for part in parts) + closing)
        for number, part in enumerate(parts):
            numbers = np.asarray(part.columns[name]).astype(np.int64) + sum(n_words[:number])
            file.append(numbers[: len(numbers) - closing] if number < len(parts) - 1 else numbers)
        file.finish()
    return sum(n_words)


def _write_texts(parts: Sequence[Part], writer: FolderWriter) -> None:
    firsts = [part.block_document[:-1] + base for part, base in _bases(parts, "documents")]
    writer.column(
        "block_document", narrow(np.concatenate([*firsts, [sum(len(part.ids) for part in parts)]]).astype(np.int64))
    )
    writer.strings("text_frames", (frame for part in parts for frame in part.text_frames))


def _write_postings(
    parts: Sequence[Part], writer: FolderWriter, articles: FolderWriter, advance: Callable[[int], None] | None
) -> tuple[int, int, int]:
    """Write terms, pointers and postings; return the numbers of terms, occurrences and leaf postings."""
    terms = sorted(set().union(*(part.terms for part in parts)))
    numbers = {term: number for number, term in enumerate(terms)}
    term_numbers = [np.fromiter(map(numbers.__getitem__, part.terms), np.int64) for part in parts]
    articles.strings("terms", terms)
    pointers = {}
    for level in TERM_POINTERS:
        counts = np.zeros(len(terms) + 1, np.int64)
        for part, own in zip(parts, term_numbers, strict=True):
            counts[own + 1] += np.diff(part.pointers[level])
        pointers[level] = np.cumsum(counts)
        (articles if level == "postings" else writer).column(f"{level}_of_term", narrow(pointers[level]))
    articles.column("occurrences_of_term", narrow(np.diff(pointers["positions"])))

    n_documents = sum(len(part.ids) for part in parts)
    dtypes = {name: _widest(parts, name) for names in LEVELS.values() for name in names}
    dtypes["document"] = narrowest(max(n_documents - 1, 0))
    files: dict[str, PlainWriter | ByteColumnWriter] = {}
    for level, names in LEVELS.items():
        for name in names:
            start = ByteColumnWriter if name in BYTE_COLUMNS else partial(PlainWriter, dtype=dtypes[name])
            files[name] = start(articles if name in ARTICLE_POSTINGS else writer, name, int(pointers[level][-1]))

    for first, last in _slices(pointers["positions"]):
        for level, names in LEVELS.items():
            places = list(_places(parts, term_numbers, pointers[level], level, first, last))
            for name in names:
                out = np.empty(int(pointers[level][last] - pointers[level][first]), dtypes[name])
                for (part, base), (rows, where) in zip(_bases(parts, "documents"), places, strict=True):
                    values = part.columns[name][rows]
                    out[where] = values + np.int64(base) if name == "document" else values
                files[name].append(out)
        if advance:
            advance(int(pointers["positions"][last] - pointers["positions"][first]))
    for file in files.values():
        file.finish()
    return len(terms), int(pointers["positions"][-1]), int(pointers["leaves"][-1])


def _slices(occurrences: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield ranges of terms with at most SLICE occurrences each, or of a single term."""
    first, n_terms = 0, len(occurrences) - 1
    while first < n_terms:
        last = int(np.searchsorted(occurrences, occurrences[first] + SLICE, side="right")) - 1
        last = min(max(last, first + 1), n_terms)
        yield first, last
        first = last


def _places(
    parts: Sequence[Part], term_numbers: Sequence[Array], pointers: Array, level: str, first: int, last: int
) -> Iterator[tuple[slice, Array]]:
    """Yield, per part, its rows of the terms from first to last, and the position of each row in the merged slice."""
    filled = pointers[first:last] - pointers[first]  # per term: position of its next row
    for part, own in zip(parts, term_numbers, strict=True):
        a, b = np.searchsorted(own, [first, last]).tolist()
        starts = np.asarray(part.pointers[level][a : b + 1])
        if a == b:
            yield slice(0, 0), np.empty(0, np.int64)
            continue
        counts = np.diff(starts)
        terms = own[a:b] - first
        rows = slice(int(starts[0]), int(starts[-1]))
        yield rows, np.arange(rows.stop - rows.start) + np.repeat(filled[terms] - (starts[:-1] - starts[0]), counts)
        filled[terms] += counts
