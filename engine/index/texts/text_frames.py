"""Compresses the texts of documents, with the spans of their elements and sentences, into frames.

Consecutive documents share a block of about 128 KiB of text. A block is three zstd frames: the UTF-8 text of its
documents; start and length, in code points, of each of their elements; and the same for the borders between the
sentences of their leaves: where each sentence but a leaf's first begins, and where the preceding one ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray

from engine.errors import INDEX_AGAIN, IndexFormatError
from engine.records import NamedTuple

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
    """Return the frames of documents (FRAMES per block) and the first document of every block.

    Args:
        elements: spans of all elements. first_row: first element of each document, then their number.
        sentences: starts of all sentences but the first of each leaf, with the ends of the preceding ones.
        first_sentence: as `first_row`, for sentences.
    """
    return FrameCompressor().add(Texts(texts, elements, first_row, sentences, first_sentence), is_last=True)


class Texts(NamedTuple):
    """Texts of documents with their spans, as `compress` describes them."""

    texts: Sequence[bytes]
    elements: Spans
    first_row: NDArray[np.int64]
    sentences: Spans
    first_sentence: NDArray[np.int64]


class FrameCompressor:
    """Compresses documents that come in groups; the blocks do not depend on the borders of the groups."""

    def __init__(self) -> None:
        self._compressor = zstandard.ZstdCompressor(level=LEVEL, write_content_size=True)
        self._begun: Texts | None = None  # the documents of a block that is not complete

    def add(self, group: Texts, *, is_last: bool) -> tuple[list[bytes], list[int]]:
        """Return the frames of the blocks that a group completes, and the first document of each block.

        Args:
            is_last: whether no group follows, so that the last block ends here.
        Returns: frames, and numbers counted from the first document of the group: negative in earlier groups.
        """
        n_begun = len(self._begun.texts) if self._begun else 0
        group = _joined(self._begun, group) if self._begun else group
        frames: list[bytes] = []
        firsts: list[int] = []
        self._begun = None
        for first, last, is_complete in _blocks(group.texts):
            if not is_complete and not is_last:
                self._begun = _slice(group, first, last)
                break
            frames.append(self._compressor.compress(b"".join(group.texts[first:last])))
            for spans, begins in ((group.elements, group.first_row), (group.sentences, group.first_sentence)):
                rows = slice(int(begins[first]), int(begins[last]))
                frames.append(self._compressor.compress(_packed(spans.starts[rows], spans.stops[rows])))
            firsts.append(first - n_begun)
        return frames, firsts


def _joined(before: Texts, after: Texts) -> Texts:
    elements, sentences = (
        Spans(*map(np.concatenate, zip(one, other, strict=True)))
        for one, other in ((before.elements, after.elements), (before.sentences, after.sentences))
    )
    first_row, first_sentence = (
        np.concatenate([one[:-1], other + one[-1]])
        for one, other in ((before.first_row, after.first_row), (before.first_sentence, after.first_sentence))
    )
    return Texts([*before.texts, *after.texts], elements, first_row, sentences, first_sentence)


def _slice(group: Texts, first: int, last: int) -> Texts:
    """Return a slice of the documents, copied, so that the others can be freed."""
    begins = [each[first : last + 1] for each in (group.first_row, group.first_sentence)]
    elements, sentences = (
        Spans(*(column[int(begin[0]) : int(begin[-1])].copy() for column in spans))
        for spans, begin in zip((group.elements, group.sentences), begins, strict=True)
    )
    return Texts(group.texts[first:last], elements, begins[0] - begins[0][0], sentences, begins[1] - begins[1][0])


def _packed(starts: NDArray[Any], stops: NDArray[Any]) -> bytes:
    numbers = np.concatenate([np.diff(starts, prepend=0).astype("<i4"), (stops - starts).astype("<i4")])
    bytewise = np.ascontiguousarray(
        numbers.view(np.uint8).reshape(-1, 4).T
    )  # grouping bytes of equal significance compresses better
    return bytewise.tobytes()


def _blocks(texts: Sequence[bytes]) -> Iterator[tuple[int, int, bool]]:
    """Yield the first document of every block, one past the last, and whether the block is complete."""
    first = size = 0
    for number, text in enumerate(texts):
        size += len(text)
        if size >= BLOCK_TEXT:
            yield first, number + 1, True
            first, size = number + 1, 0
    if first < len(texts):
        yield first, len(texts), False


def decompress(frame: bytes | memoryview) -> bytes:
    """Return the content of a frame; raises IndexFormatError if it is damaged."""
    try:
        return zstandard.ZstdDecompressor().decompress(frame)
    except (zstandard.ZstdError, MemoryError) as error:
        raise IndexFormatError(f"a text of the index cannot be read ({error}): {INDEX_AGAIN}.") from None


def decompress_spans(frame: bytes) -> Spans:
    """Return the spans of a block's elements from its second frame, or of its sentences from its third frame."""
    raw = np.frombuffer(decompress(frame), np.uint8)
    steps, lengths = np.ascontiguousarray(raw.reshape(4, -1).T).view("<i4").reshape(2, -1).astype(np.int64)
    starts = np.cumsum(steps)
    return Spans(starts, starts + lengths)
