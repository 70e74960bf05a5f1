"""The texts of the documents, compressed: what snippets, passages and character offsets are read from.

Consecutive documents share a block of about 128 KiB of text; a block is three zstd frames: the UTF-8 text of its
documents, start and length (code points) of each of their elements, and the gaps between the sentences of their leaves:
where each sentence but a leaf's first begins, and where the one before it ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from sys import intern
from typing import Any, NamedTuple

import numpy as np
import zstandard
from numpy.typing import NDArray

from engine.errors import IndexFormatError
from engine.index.files import CheckedFolder

BLOCK_TEXT = 128 * 2**10  # bytes of text past which a block is closed
LEVEL = 3
FRAMES = 3  # a block: text, elements, sentences
SHORT, MOST_SHORT = 4096, 2**14
"""Texts of elements are kept, such as years, if those of a document that are asked for are that short together; of so
many documents."""


class Spans(NamedTuple):
    """Where elements or sentences stand in their document's text, in code points, end exclusive."""

    starts: NDArray[Any]
    stops: NDArray[Any]


def compress(
    texts: Sequence[bytes],
    elements: Spans,
    first_row: NDArray[np.int64],
    sentences: Spans,
    first_sentence: NDArray[np.int64],
) -> tuple[list[bytes], list[int]]:
    """Return the frames of some documents (FRAMES a block) and the first document of every block.

    Args:
        elements: of all elements, `first_row` where each document's begin, then their number.
        sentences: starts of all sentences but the leaves' first ones, stops of those before them; `first_sentence` as
            first_row.
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
    bytewise = np.ascontiguousarray(numbers.view(np.uint8).reshape(-1, 4).T)  # like bytes together compress better
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
    """Return the content of a frame; raises IndexFormatError for one that is damaged."""
    try:
        return zstandard.ZstdDecompressor().decompress(frame)
    except (zstandard.ZstdError, MemoryError) as error:
        raise IndexFormatError(f"a text of the index cannot be read ({error}): index the sources anew.") from None


def decompress_spans(frame: bytes) -> Spans:
    """Return the spans of a block's elements from its second frame, or those of its sentences from the third."""
    raw = np.frombuffer(decompress(frame), np.uint8)
    steps, lengths = np.ascontiguousarray(raw.reshape(4, -1).T).view("<i4").reshape(2, -1).astype(np.int64)
    starts = np.cumsum(steps)
    return Spans(starts, starts + lengths)


def _narrow_spans(frame: bytes) -> Spans:
    starts, stops = decompress_spans(frame)
    return Spans(starts.astype(np.int32), stops.astype(np.int32))  # kept in many, so kept narrow


class TextStore:
    """Texts and spans of one segment's documents; the last few blocks that were read are kept."""

    def __init__(self, files: CheckedFolder) -> None:
        self._frames = files.strings("text_frames")
        self._block_document = files.column("block_document").all()
        self._text_bytes = files.column("text_bytes")
        self._first_row = files.column("first_row")
        frames = self._frames  # the caches must not refer to the store, or only the collector of cycles would close it
        self._short: dict[tuple[int, bytes], Sequence[str]] = {}
        self._block_text = lru_cache(16)(lambda block: decompress(frames[FRAMES * block]))
        self._block_spans = lru_cache(4096)(lambda block: _narrow_spans(frames[FRAMES * block + 1]))
        self._block_sentences = lru_cache(4096)(lambda block: _narrow_spans(frames[FRAMES * block + 2]))

    def text(self, document: int) -> str:
        """Return the text of a document (number in the segment)."""
        block = self._block(document)
        first = int(self._block_document[block])
        lengths = self._text_bytes.slice(first, document + 1).tolist()
        end = sum(lengths)
        return self._block_text(block)[end - lengths[-1] : end].decode()

    def spans(self, document: int) -> Spans:
        """Return the spans of all elements of a document, in row order."""
        block = self._block(document)
        first = int(self._first_row.slice(int(self._block_document[block]), int(self._block_document[block]) + 1)[0])
        start, stop = (self._first_row.slice(document, document + 2) - first).tolist()
        spans = self._block_spans(block)
        return Spans(spans.starts[start:stop], spans.stops[start:stop])

    def of_elements(self, document: int, places: NDArray[np.int64]) -> Sequence[str]:
        """Return the texts of some elements of a document, counted from its root; short ones are kept."""
        key = (document, places.tobytes())
        found = self._short.get(key)
        if found is None:
            text, spans = self.text(document), self.spans(document)
            ranges = zip(spans.starts[places].tolist(), spans.stops[places].tolist(), strict=True)
            found = tuple(text[start:stop] for start, stop in ranges)
            if sum(map(len, found)) <= SHORT:
                if len(self._short) >= MOST_SHORT:
                    self._short.clear()
                self._short[key] = tuple(map(intern, found))
        return found

    def sentences(self, document: int) -> tuple[Spans, int]:
        """Return the gaps between sentences of the documents of a block, and the first of these documents.

        starts: where each sentence but the leaves' first ones begins; stops: where the one before it ends.
        """
        block = self._block(document)
        return self._block_sentences(block), int(self._block_document[block])

    def _block(self, document: int) -> int:
        return int(np.searchsorted(self._block_document, document, side="right")) - 1
