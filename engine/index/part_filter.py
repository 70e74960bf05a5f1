"""Removes deleted documents from a part, before compaction merges it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.index import text_frames
from engine.index.dtypes import narrow
from engine.index.index_part import DOCUMENT_COLUMNS, ELEMENT_COLUMNS, LEVELS, TERM_POINTERS, Part
from engine.index.merge import NUMBERED
from engine.index.text_frames import Spans

Array = NDArray[Any]


def remove_documents(part: Part, deleted: NDArray[np.int64]) -> Part:
    """Return the part without the given documents, equal to one that never contained them."""
    if not len(deleted):
        return part
    is_kept = np.ones(len(part.ids), np.bool_)
    is_kept[deleted] = False
    n_rows = np.diff(part.first_row)
    keep = {
        "postings": is_kept[part.columns["document"]],
        "elements": np.repeat(is_kept, n_rows),
        "documents": is_kept,
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
    columns["document"] = (np.cumsum(is_kept) - 1)[columns["document"]]
    lists = {}
    for name, listed in NUMBERED.items():
        is_used = np.bincount(columns[name], minlength=len(getattr(part, listed))) > 0
        columns[name] = narrow(np.cumsum(is_used) - is_used)[columns[name]]
        lists[listed] = [getattr(part, listed)[number] for number in np.flatnonzero(is_used).tolist()]
    first_row = np.concatenate([[0], np.cumsum(n_rows[is_kept])])
    columns |= _kept_words(part, keep["elements"])
    frames, firsts = _recompress(part, is_kept)
    return Part(
        ids=[document for document, kept in zip(part.ids, is_kept.tolist(), strict=True) if kept],
        **lists,
        terms=[term for term, kept in zip(part.terms, np.diff(pointers["postings"]).tolist(), strict=True) if kept],
        first_row=first_row,
        columns=columns,
        pointers={level: np.append(pointers[level][used], pointers[level][-1]) for level in TERM_POINTERS},
        text_frames=frames,
        block_document=np.array([*firsts, int(is_kept.sum())], np.int64),
        attributes=part.attributes.of_documents(is_kept),
        images=None if part.images is None else part.images.of_documents(is_kept),
    )


def _kept_words(part: Part, keep: NDArray[np.bool_]) -> dict[str, Array]:
    """Return the columns of word numbers, renumbered over the elements that are kept."""
    first_words: NDArray[np.int64] = np.asarray(part.columns["word"], np.int64)
    n_words = first_words[1:] - first_words[:-1]
    is_kept = np.repeat(keep, n_words)
    numbers = np.cumsum(is_kept) - 1
    columns: dict[str, Array] = {"word": narrow(np.append(0, np.cumsum(n_words[keep])))}
    for name in ("text_node", "sentence"):
        begins = part.columns[name]
        columns[name] = narrow(numbers[begins[is_kept[begins]]])
    return columns


def _recompress(part: Part, is_kept: NDArray[np.bool_]) -> tuple[list[bytes], list[int]]:
    """Return the text frames of the remaining documents, and the first document of every block."""
    words = part.columns["word"][part.first_row]
    n_sentences = sum(np.diff(np.searchsorted(part.columns[name], words)) for name in ("text_node", "sentence"))
    n_rows = np.diff(part.first_row)
    kept_texts: list[bytes] = []
    kept: tuple[list[Spans], list[Spans]] = [], []  # of elements, of sentences
    frames = iter(part.text_frames)
    for block, (text_frame, *span_frames) in enumerate(zip(*[frames] * text_frames.FRAMES, strict=True)):
        documents = slice(int(part.block_document[block]), int(part.block_document[block + 1]))
        text, offset = text_frames.decompress(text_frame), 0
        for keeps, size in zip(
            is_kept[documents].tolist(), part.columns["text_bytes"][documents].tolist(), strict=True
        ):
            kept_texts += [text[offset : offset + size]] if keeps else []
            offset += size
        for counts, frame, spans in zip((n_rows, n_sentences), span_frames, kept, strict=True):
            starts, stops = text_frames.decompress_spans(frame)
            chosen = np.repeat(is_kept[documents], counts[documents])
            spans.append(Spans(starts[chosen], stops[chosen]))
    elements, sentences = (Spans(*map(_joined, zip(*spans, strict=True))) for spans in kept)
    first_row, first_sentence = (np.append(0, np.cumsum(counts[is_kept])) for counts in (n_rows, n_sentences))
    return text_frames.compress(kept_texts, elements, first_row, sentences, first_sentence)


def _joined(columns: Sequence[Array]) -> Array:
    return np.concatenate([np.empty(0, np.int64), *columns])
