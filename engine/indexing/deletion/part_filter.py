"""Removes deleted documents from a part, before it is merged: read slice by slice, what stays is spilled to a folder.

Documents are consecutive in every group of columns but the postings, which are in the order of the terms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.array_types import Array, Mask, Numbers
from engine.columns import spilled
from engine.columns.dtypes import narrow
from engine.columns.spilled import ColumnSpill, StringsSpill
from engine.index.attribute_columns import Attributes
from engine.index.images.image_columns import WIDE, ImageColumns
from engine.indexing.deletion.posting_filter import filtered_postings
from engine.indexing.deletion.text_filter import filtered_texts
from engine.indexing.index_part import DOCUMENT_COLUMNS, ELEMENT_COLUMNS, Part
from engine.indexing.merge import NUMBERED


def remove_documents(part: Part, deleted: Numbers, folder: Path) -> Part:
    """Return the part without the given documents, equal to one that never contained them.

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
    return Part(
        ids=[document for document, kept in zip(part.ids, is_kept.tolist(), strict=True) if kept],
        **lists,
        terms=terms,
        first_row=np.concatenate([[0], np.cumsum(n_rows[is_kept])]),
        columns={**columns, **postings, **renumbered},
        pointers=pointers,
        text_frames=frames,
        block_document=np.array([*blocks, int(is_kept.sum())], np.int64),
        attributes=_attributes(part.attributes, is_kept, folder),
        images=None if part.images is None else _images(part.images, is_kept, folder),
    )


def values_at(column: Any, places: Numbers) -> Numbers:
    """Return a column's values at ascending places, read slice by slice."""
    found = np.empty(len(places), np.int64)
    first = 0
    for piece in spilled.pieces(column):
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
    for start in range(int(bounds[0]), int(bounds[-1]), spilled.PIECE):
        stop = min(start + spilled.PIECE, int(bounds[-1]))
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


def _words(part: Part, first_row: Numbers, first_word: Numbers, is_kept: Mask, folder: Path) -> dict[str, Any]:
    """Return the columns of word numbers, renumbered over the documents that stay."""
    n_words = np.diff(first_word)
    gone = np.where(is_kept, 0, n_words)
    shift = np.cumsum(gone) - gone  # per document: words of those before it that are gone
    column = part.columns["word"]
    word = ColumnSpill(folder / "word", np.dtype(np.int64))
    for (rows, kept), (_, shifts) in zip(masks(first_row, is_kept), masks(first_row, is_kept, shift), strict=True):
        word.append((column[rows].astype(np.int64) - shifts)[kept])
    word.append(np.array([int(n_words[is_kept].sum())]))
    columns: dict[str, Any] = {"word": word.finished()}
    for name in ("text_node", "sentence"):
        begins = ColumnSpill(folder / name, np.dtype(np.int64))
        for piece in spilled.pieces(part.columns[name]):
            document = np.searchsorted(first_word, piece, side="right") - 1
            kept = is_kept[document]
            begins.append((piece.astype(np.int64) - shift[document])[kept])
        columns[name] = begins.finished()
    return columns


def _lists(part: Part, columns: dict[str, Any], folder: Path) -> tuple[dict[str, list[str]], dict[str, Any]]:
    """Return the lists of names without unused ones, and the columns that number them."""
    lists, renumbered = {}, {}
    for name, listed in NUMBERED.items():
        names: Sequence[str] = getattr(part, listed)
        counts = np.zeros(len(names), np.int64)
        for piece in spilled.pieces(columns[name]):
            counts += np.bincount(piece, minlength=len(names))
        is_used = counts > 0
        numbers = narrow(np.cumsum(is_used) - is_used)
        spill = ColumnSpill(folder / f"{name}-numbered", numbers.dtype)
        for piece in spilled.pieces(columns[name]):
            spill.append(numbers[piece])
        renumbered[name] = spill.finished()
        lists[listed] = [names[number] for number in np.flatnonzero(is_used).tolist()]
    return lists, renumbered


def _attributes(attributes: Attributes, is_kept: Mask, folder: Path) -> Attributes:
    """Return the attributes of the documents that stay; unused names are removed."""
    bounds = np.asarray(attributes.of_document)
    ends = np.append(0, values_at(attributes.value_ends, np.maximum(bounds[1:], 1) - 1))
    ends[1:][bounds[1:] == 0] = 0
    byte_bounds = np.maximum.accumulate(ends)
    gone = np.where(is_kept, 0, np.diff(byte_bounds))
    shift = np.cumsum(gone) - gone
    row = _kept(attributes.row, bounds, is_kept, folder / "attribute-row")
    name = _kept(attributes.name, bounds, is_kept, folder / "attribute-name")
    values = _kept(attributes.values, byte_bounds, is_kept, folder / "attribute-values")
    value_ends = ColumnSpill(folder / "attribute-ends", np.dtype(np.int64))
    for (rows, kept), (_, shifts) in zip(masks(bounds, is_kept), masks(bounds, is_kept, shift), strict=True):
        value_ends.append((attributes.value_ends[rows].astype(np.int64) - shifts)[kept])
    counts = np.zeros(len(attributes.names), np.int64)
    for piece in spilled.pieces(name):
        counts += np.bincount(piece, minlength=len(attributes.names))
    numbers: Numbers = np.cumsum(counts > 0) - (counts > 0)
    numbered = ColumnSpill(folder / "attribute-number", np.dtype(np.int64))
    for piece in spilled.pieces(name):
        numbered.append(numbers[piece])
    return Attributes(
        names=[attributes.names[number] for number in np.flatnonzero(counts).tolist()],
        of_document=np.concatenate([[0], np.cumsum(np.diff(bounds)[is_kept])]),
        row=row,
        name=numbered.finished(),
        value_ends=value_ends.finished(),
        values=values,
    )


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
