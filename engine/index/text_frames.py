"""Compresses the texts of documents, with the spans of their elements and sentences, into frames.

Consecutive documents share a block of about 128 KiB of text. A block is three zstd frames: the UTF-8 text of its
documents; start and length, in code points, of each of their elements; and the same for the borders between the
sentences of their leaves: where each sentence but a leaf's first begins, and where the preceding one ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import zstandard
from numpy.typing import NDArray

from engine.errors import IndexFormatError

# Bytes of text after which a block is complete: larger blocks compress better, smaller ones are faster to read.
BLOCK_TEXT = 128 * 2**10
# Level of zstd; higher ones take much longer for little gain.
LEVEL = 3
# Frames per block: text, elements, sentences.
FRAMES = 3


class Spans(NamedTuple):
    """Start and end, exclusive, of elements or sentences in their document's text, in code points."""

    starts: NDArray[Any]
    stops: NDArray[Any]


def compress(
    texts: Sequence[bytes],
    elements: Spans,
    first_row: NDArray[np.int64],
    sentences: Spans,
    first_sentence: NDArray[np.int64],
) -> tuple[list[bytes], list[int]]:
    """Return the frames of some documents (FRAMES per block) and the first document of every block.

    Args:
        elements: spans of all elements. first_row: first element of each document, then their number.
        sentences: starts of all sentences but the first of each leaf, with the ends of the preceding ones.
        first_sentence: as `first_row`, for sentences.
    """
    compressor = zstandard.ZstdCompressor(level=LEVEL, write_content_size=True)
    frames: list[bytes] = []
    firsts: list[int] = []
    for first, last in _blocks(texts):
        frames.append(compressor.compress(b"".join(texts[first:last])))
        for spans, begins in ((elements, first_row), (sentences, first_sentence)):
            rows = slice(int(begins[first]), int(begins[last]))
            frames.append(compressor.compress(_packed(spans.starts[rows], spans.stops[rows])))
        firsts.append(first)
    return frames, firsts


def _packed(starts: NDArray[Any], stops: NDArray[Any]) -> bytes:
    numbers = np.concatenate([np.diff(starts, prepend=0), stops - starts]).astype("<i4")
    bytewise = np.ascontiguousarray(
        numbers.view(np.uint8).reshape(-1, 4).T
    )  # grouping bytes of equal significance compresses better
    return bytewise.tobytes()


def _blocks(texts: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    first = size = 0
    for number, text in enumerate(texts):
        size += len(text)
        if size >= BLOCK_TEXT:
            yield first, number + 1
            first, size = number + 1, 0
    if first < len(texts):
        yield first, len(texts)


def decompress(frame: bytes) -> bytes:
    """Return the content of a frame; raises IndexFormatError if it is damaged."""
    try:
        return zstandard.ZstdDecompressor().decompress(frame)
    except (zstandard.ZstdError, MemoryError) as error:
        raise IndexFormatError(f"a text of the index cannot be read ({error}): index the sources again.") from None


def decompress_spans(frame: bytes) -> Spans:
    """Return the spans of a block's elements from its second frame, or of its sentences from its third frame."""
    raw = np.frombuffer(decompress(frame), np.uint8)
    steps, lengths = np.ascontiguousarray(raw.reshape(4, -1).T).view("<i4").reshape(2, -1).astype(np.int64)
    starts = np.cumsum(steps)
    return Spans(starts, starts + lengths)
