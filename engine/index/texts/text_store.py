"""The texts of a segment's documents: compressed into frames, and read for snippets, passages and offsets.

Consecutive documents share a block of about 128 KiB of text. A block is three zstd frames: the UTF-8 text of its
documents; start and length, in code points, of each of their elements; and the same for the borders between the
sentences of their leaves: where each sentence but a leaf's first begins, and where the preceding one ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from sys import getsizeof, intern
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray

from engine.arrays import Array, distinct, places_of
from engine.columns.cache import SizedCache
from engine.columns.checked_folder import CheckedFolder
from engine.errors import INDEX_AGAIN, IndexFormatError
from engine.kernels.table import compiled, native
from engine.query_limits import check_time
from engine.records import NamedTuple
from engine.text.utf8 import CountedText, EncodedText, characters_of_blocks, text_parts
from engine.threads import cached_property

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


# Texts of elements, such as years, are cached if they total at most SHORT characters, for at most MOST_SHORT documents.
SHORT, MOST_SHORT = 4096, 2**14
# Characters of texts of elements that are read between two looks at the clock; a text takes as long as EACH more.
AT_ONCE, EACH = 1 << 20, 100
# Bytes of text that are cached for each segment, as blocks and, of the last ones, as documents; the block that was read
# last is cached even if it is larger. Blocks get OF_DOCUMENT bytes for each document of the segment, but at least
# FEWEST_BLOCKS and at most MOST_BLOCKS: to decompress a block takes as long as a tenth of a search.
FEWEST_BLOCKS, MOST_BLOCKS, OF_DOCUMENT, CACHED_DOCUMENTS = 28 * 2**20, 124 * 2**20, 40 * 2**10, 4 * 2**20
# Bytes of blocks from which parts are decoded together.
TOGETHER = 4 * 2**20
# Counts of characters of texts that are cached.
MOST_COUNTS = 2**17


def _narrow_spans(frame: bytes) -> Spans:
    starts, stops = decompress_spans(frame)
    return Spans(starts.astype(np.int32), stops.astype(np.int32))  # int32, because thousands of blocks are cached


class TextStore:
    """Texts and spans of one segment's documents; recently read blocks are cached."""

    def __init__(self, files: CheckedFolder) -> None:
        self._frames = files.strings("text_frames")
        self._block_document = files.column("block_document").all()
        self._text_bytes = files.column("text_bytes")
        self._first_row = files.column("first_row")
        frames = self._frames  # the caches must not refer to the store, or only the collector of cycles would close it
        self._short: dict[tuple[int, bytes], Sequence[str]] = {}
        capacity = min(max(FEWEST_BLOCKS, OF_DOCUMENT * (len(self._first_row) - 1)), MOST_BLOCKS)
        self._texts: SizedCache[int, bytes] = SizedCache(len, capacity, keeps_newest=True)
        self._documents: SizedCache[int, str] = SizedCache(getsizeof, CACHED_DOCUMENTS)
        self._characters: SizedCache[int, NDArray[np.int64]] = SizedCache(len, MOST_COUNTS)
        self._block_spans = lru_cache(4096)(lambda block: _narrow_spans(frames[FRAMES * block + 1]))
        self._block_sentences = lru_cache(4096)(lambda block: _narrow_spans(frames[FRAMES * block + 2]))

    def text(self, document: int) -> str:
        """Return the text of a document (number in the segment)."""
        return self._documents.get(document, lambda: self._read(document))

    def _read(self, document: int) -> str:
        block, start, end = self._bytes(document)
        return block[start:end].decode()

    def encoded(self, document: int) -> EncodedText:
        """Return the text of a document as bytes, of which parts can be decoded alone."""
        block, start, end, characters = self._counted(document)
        return EncodedText(np.frombuffer(block, np.uint8, end - start, start), characters)

    def _counted(self, document: int) -> CountedText:
        """Return the result of `_bytes`, and the characters of the blocks of the text."""
        block, start, end = self._bytes(document)
        characters = self._characters.get(
            document, lambda: characters_of_blocks(np.frombuffer(block, np.uint8, end - start, start))
        )
        return block, start, end, characters

    def _bytes(self, document: int) -> tuple[bytes, int, int]:
        """Return a block of texts, and the begin and end of a document's text in it."""
        block = self._block(document)
        lengths = self._text_bytes.slice(int(self._block_document[block]), document + 1).tolist()
        end = sum(lengths)
        return (
            self._texts.get(block, lambda: decompress(self._frames.view(FRAMES * block).data)),
            end - lengths[-1],
            end,
        )

    def parts(self, documents: Sequence[int], spans: NDArray[np.int64]) -> list[str]:
        """Return parts of the texts of documents, given start and end of each, in characters, shape (n, 2).

        Args:
            documents: the document of each part; blocks of TOGETHER bytes and one more are in memory at a time.
        """
        places: dict[int, list[int]] = {}
        for place, document in enumerate(documents):
            places.setdefault(document, []).append(place)
        found = [""] * len(documents)
        texts: list[CountedText] = []
        chosen: list[int] = []
        numbers: list[int] = []
        for n_read, (document, of_document) in enumerate(places.items(), 1):
            texts.append(self._counted(document))
            chosen += of_document
            numbers += [len(texts) - 1] * len(of_document)
            if n_read == len(places) or sum(len(text[0]) for text in texts) > TOGETHER:
                parts = text_parts(texts, np.array(numbers, np.int64), spans.take(chosen, axis=0))
                for place, part in zip(chosen, parts, strict=True):
                    found[place] = part
                texts, chosen, numbers = [], [], []
        return found

    def spans(self, document: int) -> Spans:
        """Return the spans of all elements of a document, in row order."""
        block = self._block(document)
        first = int(self._first_row.slice(int(self._block_document[block]), int(self._block_document[block]) + 1)[0])
        start, stop = (self._first_row.slice(document, document + 2) - first).tolist()
        spans = self._block_spans(block)
        return Spans(spans.starts[start:stop], spans.stops[start:stop])

    def _spans_in_numpy(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        blocks = self._block_row.searchsorted(rows, "right") - 1
        found = np.empty((len(rows), 2), np.int64)
        for block in distinct(blocks).tolist():
            chosen, spans = places_of(blocks == block), self._block_spans(block)
            places = rows.take(chosen) - self._block_row[block]
            found[chosen, 0], found[chosen, 1] = spans.starts.take(places), spans.stops.take(places)
        return found

    @compiled(_spans_in_numpy)
    def spans_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the start and end of elements of any documents (rows in the segment), shape (n, 2)."""
        blocks = distinct(self._block_row.searchsorted(rows, "right") - 1)
        columns: list[tuple[Array, Array]] = [self._block_spans(block) for block in blocks.tolist()]
        spans = native.spans_in_blocks(rows, self._block_row.take(blocks), columns)
        return np.frombuffer(spans, np.int64).reshape(-1, 2)

    @cached_property
    def _block_row(self) -> NDArray[np.int64]:
        """The first row of each block."""
        return self._first_row.take(self._block_document).astype(np.int64)

    def of_elements(self, document: int, places: NDArray[np.int64]) -> Iterable[str]:
        """Return the texts of the elements of a document, given by rows from its root.

        Short ones are cached, and what is long together is read bit by bit: nested elements have the same texts.
        """
        key = (document, places.tobytes())
        found = self._short.get(key)
        if found is None:
            starts, stops = self.spans(document)
            ranges = np.stack([starts[places], stops[places]], axis=1).astype(np.int64)
            sizes = (ranges[:, 1] - ranges[:, 0] + EACH).cumsum()
            if len(sizes) and sizes[-1] > AT_ONCE:
                return self._bit_by_bit(document, np.split(ranges, np.flatnonzero(np.diff(sizes // AT_ONCE)) + 1))
            found = tuple(self.parts([document] * len(places), ranges))
            if sum(map(len, found)) <= SHORT:
                if len(self._short) >= MOST_SHORT:
                    self._short.clear()
                self._short[key] = tuple(map(intern, found))
        return found

    def _bit_by_bit(self, document: int, bits: Sequence[NDArray[np.int64]]) -> Iterator[str]:
        for ranges in bits:
            check_time()
            yield from self.parts([document] * len(ranges), ranges)

    def sentences(self, block: int) -> Spans:
        """Return the gaps between sentences of the documents of a block.

        starts: where each sentence but the leaves' first ones begins; stops: where the one before it ends.
        """
        return self._block_sentences(block)

    def blocks_of(self, documents: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the blocks of documents, and the first document of each of these."""
        blocks = self._block_document.searchsorted(documents, side="right") - 1
        return blocks, self._block_document.take(blocks).astype(np.int64)

    def _block(self, document: int) -> int:
        return int(np.searchsorted(self._block_document, document, side="right")) - 1
