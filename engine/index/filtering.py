"""Leaving documents out of a part: what compaction does before it merges."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.index import texts
from engine.index.files import narrow
from engine.index.merging import NUMBERED
from engine.index.part import DOCUMENT_COLUMNS, ELEMENT_COLUMNS, LEVELS, TERM_POINTERS, Part

Array = NDArray[Any]


def without(part: Part, deleted: NDArray[np.int64]) -> Part:
    """Return the part without the given documents, as if they had never been in it."""
    if not len(deleted):
        return part
    stays = np.ones(len(part.ids), np.bool_)
    stays[deleted] = False
    n_rows = np.diff(part.first_row)
    keep = {
        "postings": stays[part.columns["document"]],
        "elements": np.repeat(stays, n_rows),
        "documents": stays,
    }
    keep["leaves"] = np.repeat(keep["postings"], part.columns["n_leaves"])
    keep["positions"] = np.repeat(keep["leaves"], part.columns["leaf_tf"])

    pointers = {}
    for level in TERM_POINTERS:
        before = np.concatenate([[0], np.cumsum(keep[level])])
        pointers[level] = before[part.pointers[level]]
    used = np.flatnonzero(np.diff(pointers["postings"]))
    groups = {"documents": DOCUMENT_COLUMNS, "elements": ELEMENT_COLUMNS, **LEVELS}
    columns = {name: part.columns[name][keep[group]] for group, names in groups.items() for name in names}
    columns["document"] = (np.cumsum(stays) - 1)[columns["document"]]
    lists = {}
    for name, listed in NUMBERED.items():
        is_used = np.bincount(columns[name], minlength=len(getattr(part, listed))) > 0
        columns[name] = narrow(np.cumsum(is_used) - is_used)[columns[name]]
        lists[listed] = [getattr(part, listed)[number] for number in np.flatnonzero(is_used).tolist()]
    first_row = np.concatenate([[0], np.cumsum(n_rows[stays])])
    frames, firsts = _recompress(part, stays, first_row)
    return Part(
        ids=[document for document, kept in zip(part.ids, stays.tolist(), strict=True) if kept],
        **lists,
        terms=[term for term, kept in zip(part.terms, np.diff(pointers["postings"]).tolist(), strict=True) if kept],
        first_row=first_row,
        columns=columns,
        pointers={level: np.append(pointers[level][used], pointers[level][-1]) for level in TERM_POINTERS},
        text_frames=frames,
        block_document=np.array([*firsts, int(stays.sum())], np.int64),
        attributes=part.attributes.of_documents(stays),
    )


def _recompress(part: Part, stays: NDArray[np.bool_], first_row: Array) -> tuple[list[bytes], list[int]]:
    """Return the frames of the documents that stay, and the first document of every block."""
    kept_texts: list[bytes] = []
    starts: list[Array] = []
    stops: list[Array] = []
    frames = iter(part.text_frames)
    for block, (text_frame, span_frame) in enumerate(zip(frames, frames, strict=True)):
        first = int(part.block_document[block])
        text, spans = texts.decompress(text_frame), texts.decompress_spans(span_frame)
        offset = row = 0
        for document in range(first, int(part.block_document[block + 1])):
            size, n_rows = int(part.columns["text_bytes"][document]), int(np.diff(part.first_row[document:][:2])[0])
            if stays[document]:
                kept_texts.append(text[offset : offset + size])
                starts.append(spans.starts[row : row + n_rows])
                stops.append(spans.stops[row : row + n_rows])
            offset, row = offset + size, row + n_rows
    none = np.empty(0, np.int64)
    return texts.compress(kept_texts, first_row, np.concatenate([none, *starts]), np.concatenate([none, *stops]))
