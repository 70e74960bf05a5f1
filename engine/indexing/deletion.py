"""Parts without deleted documents, for merging: read slice by slice, the remaining documents spilled to a folder.

Documents are consecutive in every group of columns but the postings, which are in the order of the terms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.arrays import Array, Mask, Numbers
from engine.columns import sliced
from engine.columns.folder_writer import narrow
from engine.columns.sliced import ColumnSpill, SlicedStrings, SpilledNames, StringsSpill, read_strings
from engine.index.attribute_columns import Attributes
from engine.index.block_vectors import VectorColumns
from engine.index.field_columns import FieldColumns
from engine.index.images.image_columns import WIDE, ImageColumns
from engine.index.texts import text_store
from engine.index.texts.text_store import FrameCompressor, Spans, Texts
from engine.indexing.index_part import DOCUMENT_COLUMNS, ELEMENT_COLUMNS, LEVELS, TERM_POINTERS, IndexPart
from engine.indexing.part_merging import NUMBERED


def remove_documents(part: IndexPart, deleted: Numbers, folder: Path) -> IndexPart:
    """Return the part without the given documents, equal to one that never contained them but for `forms`.

    The forms of words stay: which documents have them is not known.

    Args:
        folder: a new folder, in which what stays is written.
    """
    if not len(deleted):
        return part
    folder.mkdir()
    is_kept = np.ones(part.n_documents, np.bool_)
    is_kept[deleted] = False
    first_row = np.asarray(part.first_row)
    n_rows = np.diff(first_row)
    first_word = values_at(part.columns["word"], first_row)
    columns: dict[str, Any] = {name: np.asarray(part.columns[name])[is_kept] for name in DOCUMENT_COLUMNS}
    for name in ELEMENT_COLUMNS:
        columns[name] = _kept(part.columns[name], first_row, is_kept, folder / name)
    columns |= _words(part, first_row, first_word, is_kept, folder)
    postings, pointers, terms = filtered_postings(part, is_kept, folder)
    lists, renumbered = _lists(part, {**columns, **postings}, folder)
    frames, blocks = filtered_texts(part, is_kept, first_word, folder / "text_frames")
    return IndexPart(
        ids=[document for document, kept in zip(part.ids, is_kept.tolist(), strict=True) if kept],
        **lists,
        terms=terms,
        first_row=np.concatenate([[0], np.cumsum(n_rows[is_kept])]),
        columns={**columns, **postings, **renumbered},
        pointers=pointers,
        text_frames=frames,
        block_document=np.array([*blocks, int(is_kept.sum())], np.int64),
        attributes=_attributes(part.attributes, is_kept, folder),
        fields=_fields(part.fields, is_kept, folder),
        images=None if part.images is None else _images(part.images, is_kept, folder),
        vectors=None if part.vectors is None else _vectors(part.vectors, first_word, is_kept, folder),
        forms=part.forms,
    )


def values_at(column: Any, places: Numbers) -> Numbers:
    """Return a column's values at ascending places, read slice by slice."""
    found = np.empty(len(places), np.int64)
    first = 0
    for piece in sliced.pieces(column):
        a, b = np.searchsorted(places, [first, first + len(piece)]).tolist()
        found[a:b] = piece[places[a:b] - first]
        first += len(piece)
    return found


def masks(bounds: Numbers, is_kept: Mask, values: Array | None = None) -> Iterator[tuple[slice, Array]]:
    """Yield consecutive slices of rows with, for each row, whether its document is kept, or a value of its document.

    Args:
        bounds: the first row of each document, then the number of rows.
    """
    per_document = is_kept if values is None else values
    for start in range(int(bounds[0]), int(bounds[-1]), sliced.PIECE):
        stop = min(start + sliced.PIECE, int(bounds[-1]))
        first = int(np.searchsorted(bounds, start, side="right")) - 1
        last = int(np.searchsorted(bounds, stop, side="left"))
        inside = np.clip(bounds[first : last + 1], start, stop)
        counts: Numbers = inside[1:] - inside[:-1]
        yield slice(start, stop), np.repeat(per_document[first:last], counts)


def _kept(column: Any, bounds: Numbers, is_kept: Mask, path: Path) -> Any:
    """Return the rows of the documents that stay."""
    spill = ColumnSpill(path, column.dtype, column.shape[1:])
    for rows, kept in masks(bounds, is_kept):
        spill.append(column[rows][kept])
    return spill.finished()


def _words(part: IndexPart, first_row: Numbers, first_word: Numbers, is_kept: Mask, folder: Path) -> dict[str, Any]:
    """Return the columns of word numbers, renumbered over the documents that stay."""
    n_words = np.diff(first_word)
    shift = _shift(n_words, is_kept)
    word = _shifted(part.columns["word"], first_row, is_kept, shift, folder / "word")
    word.append(np.array([int(n_words[is_kept].sum())]))
    columns: dict[str, Any] = {"word": word.finished()}
    for name in ("text_node", "sentence"):
        begins = ColumnSpill(folder / name, np.dtype(np.int64))
        for piece in sliced.pieces(part.columns[name]):
            document = np.searchsorted(first_word, piece, side="right") - 1
            kept = is_kept[document]
            begins.append((piece.astype(np.int64) - shift[document])[kept])
        columns[name] = begins.finished()
    return columns


def _lists(part: IndexPart, columns: dict[str, Any], folder: Path) -> tuple[dict[str, list[str]], dict[str, Any]]:
    """Return the lists of names without unused ones, and the columns that number them."""
    lists, renumbered = {}, {}
    for name, listed in NUMBERED.items():
        lists[listed], renumbered[name] = _used(columns[name], getattr(part, listed), folder / f"{name}-numbered")
    return lists, renumbered


def _used(column: Any, names: Sequence[str] | SpilledNames, path: Path) -> tuple[list[str], Any]:
    """Return the names that a column has the numbers of, and the column with the numbers of these alone."""
    is_used, renumbered = _renumbered(column, len(names), path)
    return [name for name, used in zip(names, is_used.tolist(), strict=True) if used], renumbered


def _renumbered(column: Any, n_numbers: int, path: Path) -> tuple[Mask, Any]:
    """Return which numbers a column has, and the column with numbers of these alone."""
    is_used = np.zeros(n_numbers, np.bool_)
    for piece in sliced.pieces(column):
        is_used[piece] = True
    numbers = narrow(np.cumsum(is_used) - is_used)
    spill = ColumnSpill(path, numbers.dtype)
    for piece in sliced.pieces(column):
        spill.append(numbers[piece])
    return is_used, spill.finished()


def _shift(sizes: Numbers, is_kept: Mask) -> Numbers:
    """Return for each document how many numbers before it are gone, given the sizes of documents."""
    gone = np.where(is_kept, 0, sizes)
    return np.cumsum(gone) - gone


def _shifted(column: Any, bounds: Numbers, is_kept: Mask, shift: Numbers, path: Path) -> ColumnSpill:
    """Return the spill of the rows of the documents that stay, less the shift of each."""
    spill = ColumnSpill(path, np.dtype(np.int64))
    for (rows, kept), (_, shifts) in zip(masks(bounds, is_kept), masks(bounds, is_kept, shift), strict=True):
        spill.append((column[rows].astype(np.int64) - shifts)[kept])
    return spill


def _attributes(attributes: Attributes, is_kept: Mask, folder: Path) -> Attributes:
    """Return the attributes of the documents that stay; unused names are removed."""
    bounds = np.asarray(attributes.of_document)
    ends = np.append(0, values_at(attributes.value_ends, np.maximum(bounds[1:], 1) - 1))
    ends[1:][bounds[1:] == 0] = 0
    byte_bounds = np.maximum.accumulate(ends)
    shift = _shift(np.diff(byte_bounds), is_kept)
    row = _kept(attributes.row, bounds, is_kept, folder / "attribute-row")
    name = _kept(attributes.name, bounds, is_kept, folder / "attribute-name")
    values = _kept(attributes.values, byte_bounds, is_kept, folder / "attribute-values")
    value_ends = _shifted(attributes.value_ends, bounds, is_kept, shift, folder / "attribute-ends")
    names, number = _used(name, attributes.names, folder / "attribute-number")
    return Attributes(
        names=names,
        of_document=np.concatenate([[0], np.cumsum(np.diff(bounds)[is_kept])]),
        row=row,
        name=number,
        value_ends=value_ends.finished(),
        values=values,
    )


def _fields(fields: FieldColumns, is_kept: Mask, folder: Path) -> FieldColumns:
    """Return the values of the fields of the documents that stay; unused values are removed."""
    bounds = np.asarray(fields.of_document)
    value = _kept(fields.value, bounds, is_kept, folder / "field-value")
    is_used, renumbered = _renumbered(value, len(fields.values), folder / "field-number")
    values = StringsSpill(folder / "field-values")
    values.extend(value for value, used in zip(fields.values, is_used.tolist(), strict=True) if used)
    of_document = np.concatenate([[0], np.cumsum(np.diff(bounds)[is_kept])])
    return FieldColumns(of_document, renumbered, values.finished())


def _images(images: ImageColumns, is_kept: Mask, folder: Path) -> ImageColumns | None:
    """Return the images of the documents that stay; None if there is none."""
    bounds, of_image = np.asarray(images.of_document), np.asarray(images.of_image)
    n_images, n_references = np.diff(bounds), np.diff(of_image)
    kept = np.repeat(is_kept, n_images)
    if not kept.any():
        return None
    keys = StringsSpill(folder / "image-keys")
    keys.extend(key for key, stays in zip(images.keys, kept.tolist(), strict=True) if stays)
    wide = {name: _kept(getattr(images, name), bounds, is_kept, folder / f"image-{name}") for name in WIDE}
    return replace(
        images,
        of_document=np.concatenate([[0], np.cumsum(n_images[is_kept])]),
        of_image=np.concatenate([[0], np.cumsum(n_references[kept])]),
        reference=_kept(images.reference, of_image, kept, folder / "image-reference"),
        keys=keys.finished(),
        **wide,
    )


def _vectors(vectors: VectorColumns, first_word: Numbers, is_kept: Mask, folder: Path) -> VectorColumns:
    """Return the vectors of the documents that stay."""
    bounds = np.searchsorted(np.asarray(vectors.word), first_word)
    word = _shifted(vectors.word, bounds, is_kept, _shift(np.diff(first_word), is_kept), folder / "vector-word")
    return vectors._replace(word=word.finished(), vector=_kept(vectors.vector, bounds, is_kept, folder / "vector"))


# Postings that are read at a time, and occurrences, at most (or those of a single posting).
POSTINGS, OCCURRENCES = 1 << 16, 1 << 19


def filtered_postings(
    part: IndexPart, is_kept: Mask, folder: Path
) -> tuple[dict[str, Any], dict[str, Any], SlicedStrings]:
    """Return the posting columns, pointers and terms of the documents that stay; terms of no document are left out."""
    filtering = _Filtering(part, is_kept, folder)
    pointers = {level: ColumnSpill(folder / f"{level}-pointers", np.dtype(np.int64)) for level in TERM_POINTERS}
    terms = StringsSpill(folder / "terms")
    for file in pointers.values():
        file.append(np.zeros(1, np.int64))
    first = 0
    while first < len(part.terms):
        words = read_strings(part.terms, first, sliced.PIECE)
        n_before = filtering.n_kept[0]
        kept = filtering.copy(part.pointers["postings"][first : first + len(words) + 1])
        is_used = np.diff(kept[:, 0], prepend=n_before) > 0
        terms.extend(word for word, used in zip(words, is_used.tolist(), strict=True) if used)
        for number, level in enumerate(TERM_POINTERS):
            pointers[level].append(kept[is_used, number])
        first += len(words)
    return filtering.finished(), {level: file.finished() for level, file in pointers.items()}, terms.finished()


class _Filtering:
    """Copies postings in their order.

    n_kept: rows of each level that were written so far.
    """

    def __init__(self, part: IndexPart, is_kept: Mask, folder: Path) -> None:
        self._columns = part.columns
        self._is_kept = is_kept
        self._numbers = np.cumsum(is_kept) - 1
        self._files = {
            name: ColumnSpill(folder / name, np.dtype(np.int64) if name == "document" else part.columns[name].dtype)
            for level in LEVELS.values()
            for name in level
        }
        self._n_leaves = self._n_positions = 0  # rows that were read so far
        self.n_kept = np.zeros(len(LEVELS), np.int64)

    def copy(self, bounds: Numbers) -> Numbers:
        """Copy the postings of terms (their first rows, and the end); return the numbers that remain up to each.

        Returns: rows of each level, from those of the first term of all, shape (n_terms, 3).
        """
        kept = np.tile(self.n_kept, (len(bounds) - 1, 1))
        start = int(bounds[0])
        while start < int(bounds[-1]):
            stop = min(start + POSTINGS, int(bounds[-1]))
            tf = self._columns["tf"][start:stop].astype(np.int64)
            n_rows = max(1, int(np.searchsorted(np.cumsum(tf), OCCURRENCES, side="right")))
            stop = min(start + n_rows, stop)
            totals = self.n_kept + self._copied(start, stop, tf[:n_rows])
            a, b = np.searchsorted(bounds, [start, stop], side="right").tolist()
            kept[a - 1 : b - 1] = totals[bounds[a:b] - start - 1]
            kept[b - 1 :] = self.n_kept = totals[-1]
            start = stop
        return kept

    def _copied(self, start: int, stop: int, tf: Numbers) -> Numbers:
        """Copy the postings from start to stop; return the number of remaining rows up to each, shape (n, 3)."""
        documents = self._columns["document"][start:stop]
        n_leaves = self._columns["n_leaves"][start:stop].astype(np.int64)
        keep = self._is_kept[documents]
        self._files["document"].append(self._numbers[documents[keep]])
        self._files["tf"].append(tf[keep])
        self._files["opening_tf"].append(self._columns["opening_tf"][start:stop][keep])
        self._files["n_leaves"].append(n_leaves[keep])
        leaves = slice(self._n_leaves, self._n_leaves + int(n_leaves.sum()))
        leaf_tf = self._columns["leaf_tf"][leaves]
        keep_leaf = np.repeat(keep, n_leaves)
        self._files["leaf"].append(self._columns["leaf"][leaves][keep_leaf])
        self._files["leaf_tf"].append(leaf_tf[keep_leaf])
        positions = slice(self._n_positions, self._n_positions + int(tf.sum()))
        self._files["position"].append(self._columns["position"][positions][np.repeat(keep_leaf, leaf_tf)])
        self._n_leaves, self._n_positions = leaves.stop, positions.stop
        return np.cumsum(np.stack([keep, keep * n_leaves, keep * tf], axis=1), axis=0)

    def finished(self) -> dict[str, Any]:
        """Return the columns, complete."""
        return {name: file.finished() for name, file in self._files.items()}


def filtered_texts(part: IndexPart, is_kept: Mask, first_word: Numbers, path: Path) -> tuple[SlicedStrings, list[int]]:
    """Return the text frames of the documents that stay, and the first document of every block.

    Args:
        first_word: number of each document's first word, then the number of words.
    """
    n_sentences = _counts(part.columns["text_node"], first_word) + _counts(part.columns["sentence"], first_word)
    n_rows = np.diff(np.asarray(part.first_row))
    text_bytes, borders = np.asarray(part.columns["text_bytes"]), np.asarray(part.block_document)
    written, firsts, compressor, n_before = StringsSpill(path), list[int](), FrameCompressor(), 0
    frames = iter(part.text_frames)
    n_blocks = len(borders) - 1
    for block, (text_frame, *span_frames) in enumerate(zip(*[frames] * text_store.FRAMES, strict=True)):
        documents = slice(int(borders[block]), int(borders[block + 1]))
        keep = is_kept[documents]
        ends = np.cumsum(text_bytes[documents], dtype=np.int64)
        text = text_store.decompress(text_frame)
        texts = [
            text[end - size : end]
            for end, size, kept in zip(ends.tolist(), text_bytes[documents].tolist(), keep.tolist(), strict=True)
            if kept
        ]
        spans, begins = [], []
        for counts, frame in zip((n_rows[documents], n_sentences[documents]), span_frames, strict=True):
            starts, stops = text_store.decompress_spans(frame)
            chosen = np.repeat(keep, counts)
            spans.append(Spans(starts[chosen], stops[chosen]))
            begins.append(np.append(0, np.cumsum(counts[keep])))
        group = Texts(texts, spans[0], begins[0], spans[1], begins[1])
        more, numbers = compressor.add(group, is_last=block == n_blocks - 1)
        written.extend(more)
        firsts += [number + n_before for number in numbers]
        n_before += len(texts)
    return written.finished(), firsts


def _counts(begins: object, first_word: Numbers) -> Numbers:
    """Return the number of word numbers (ascending) in each document."""
    counts = np.zeros(len(first_word) - 1, np.int64)
    for piece in sliced.pieces(begins):
        counts += np.bincount(np.searchsorted(first_word, piece, side="right") - 1, minlength=len(counts))
    return counts
