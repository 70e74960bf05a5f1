"""Merges parts into one: the last step of every build and of compaction.

Parts are in document order, so document and element columns are concatenated, and so are the postings of each term.
Everything is read and written in pieces of bounded size, so memory does not grow with the collection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from engine.array_types import Array
from engine.columns.ascending_column import AscendingColumnWriter
from engine.columns.byte_column import ByteColumnWriter
from engine.columns.checksum_writer import FolderWriter
from engine.columns.dtypes import narrow, narrowest
from engine.columns.growing_column import GrowingColumnWriter, StringsWriter
from engine.columns.spilled import pieces
from engine.index.attribute_columns import write_attributes
from engine.index.images.image_columns import write_image_columns
from engine.index.images.image_postings import write_image_postings
from engine.index.segment_description import SegmentCounts
from engine.index.statistics.tag_sums import N_SUMS, TAG_SUMS, SlicedColumns, count_sums
from engine.indexing.index_part import (
    BYTE_COLUMNS,
    DOCUMENT_COLUMNS,
    ELEMENT_COLUMNS,
    WORD_COLUMNS,
    Part,
    part_bases,
    widest,
)
from engine.indexing.merge_postings import write_postings

# Occurrences that are merged at a time, at most and at least; a slice takes up to SLICE_BYTES for each.
SLICE, LEAST_SLICE, SLICE_BYTES = 4_000_000, 250_000, 48
# Share of the memory that a slice may take.
SLICE_SHARE = 4
# Column -> the list of names that it indexes.
NUMBERED = {"tag": "tags", "source": "sources", "profile": "profiles", "language": "languages"}


def merge(
    parts: Sequence[Part],
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
    if with_images := [part.images for part in parts if part.images is not None]:
        write_image_columns([(part.images, part.n_documents) for part in parts], writer)
        write_image_postings(with_images, writer, memory)
    _write_texts(parts, writer)
    slice_size = max(LEAST_SLICE, min(SLICE, memory // (SLICE_SHARE * SLICE_BYTES)))
    n_terms, n_tokens, n_leaf_postings = write_postings(parts, writer, articles, slice_size, advance)
    n_elements = sum(part.n_elements for part in parts)
    return SegmentCounts(lists, n_documents, n_elements, n_leaf_postings, n_terms, n_tokens, n_words)


def _union(lists: Iterator[Sequence[str]] | Any) -> list[str]:
    return sorted({name for names in lists for name in names})


def _write_offsets(writer: FolderWriter, name: str, columns: Iterator[tuple[Any, int]]) -> None:
    """Write a column that begins with 0: columns, each with what is added to it."""
    file = GrowingColumnWriter(writer, name)
    file.append(np.zeros(1, np.int64))
    for column, base in columns:
        file.append(np.asarray(column) + base)
    file.finish()


def _renumbered(part: Part, name: str, lists: dict[str, list[str]]) -> Iterator[Array]:
    """Yield a part's column in pieces, with tags, sources and profiles numbered as in the merged part."""
    if name not in NUMBERED:
        yield from pieces(part.columns[name])
        return
    merged = {member: number for number, member in enumerate(lists[NUMBERED[name]])}
    numbers = narrow(np.array([merged[member] for member in getattr(part, NUMBERED[name])], np.int64))
    for piece in pieces(part.columns[name]):
        yield numbers[piece]


def _write_document_column(writer: FolderWriter, name: str, parts: Sequence[Part], lists: dict[str, list[str]]) -> None:
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


def _append_column(writer: FolderWriter, name: str, parts: Sequence[Part], lists: dict[str, list[str]]) -> None:
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


def _write_words(parts: Sequence[Part], writer: FolderWriter) -> int:
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


def _write_tag_sums(parts: Sequence[Part], writer: FolderWriter, tags: Sequence[str]) -> None:
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


def _write_texts(parts: Sequence[Part], writer: FolderWriter) -> None:
    blocks = GrowingColumnWriter(writer, "block_document")
    for part, base in part_bases(parts, "documents"):
        blocks.append(np.asarray(part.block_document[:-1]) + base)
    blocks.append(np.array([sum(part.n_documents for part in parts)]))
    blocks.finish()
    frames = StringsWriter(writer, "text_frames")
    for part in parts:
        frames.append(part.text_frames)
    frames.finish()
