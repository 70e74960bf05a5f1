"""Text frames without deleted documents, read and written a block at a time."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.array_types import Mask, Numbers
from engine.columns import spilled
from engine.columns.spilled import SpilledStrings, StringsSpill
from engine.index.texts import text_frames
from engine.index.texts.text_frames import FrameCompressor, Spans, Texts
from engine.indexing.index_part import Part


def filtered_texts(part: Part, is_kept: Mask, first_word: Numbers, path: Path) -> tuple[SpilledStrings, list[int]]:
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
    for block, (text_frame, *span_frames) in enumerate(zip(*[frames] * text_frames.FRAMES, strict=True)):
        documents = slice(int(borders[block]), int(borders[block + 1]))
        keep = is_kept[documents]
        ends = np.cumsum(text_bytes[documents], dtype=np.int64)
        text = text_frames.decompress(text_frame)
        texts = [
            text[end - size : end]
            for end, size, kept in zip(ends.tolist(), text_bytes[documents].tolist(), keep.tolist(), strict=True)
            if kept
        ]
        spans, begins = [], []
        for counts, frame in zip((n_rows[documents], n_sentences[documents]), span_frames, strict=True):
            starts, stops = text_frames.decompress_spans(frame)
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
    """Return how many of some ascending word numbers lie in each document."""
    counts = np.zeros(len(first_word) - 1, np.int64)
    for piece in spilled.pieces(begins):
        counts += np.bincount(np.searchsorted(first_word, piece, side="right") - 1, minlength=len(counts))
    return counts
