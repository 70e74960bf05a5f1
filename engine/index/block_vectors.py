"""Vectors of blocks: by them a search compares the meaning of a query with that of its answers.

A block is a run of words of one document, about 100 to 200 of them (`engine.indexing.block_encoding`); the blocks of a
document contain each of its words once.

    vector_word     for each block the number of its first word, ascending
    vector          for each block its vector, in signed bytes: the largest number of each is LARGEST or -LARGEST
    encoder.json    the name of the encoder, and its vector of CHECK_TEXT, by which a changed encoder is noticed

The length of a vector does not count, as cosines are computed. A segment without vectors has none of these files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import FloatArray, Numbers, Rows, distinct, places_of, ranges
from engine.columns.ascending_column import AscendingColumn
from engine.columns.checked_folder import CheckedFolder
from engine.columns.sliced import SlicedColumn
from engine.errors import INDEX_AGAIN, IndexFormatError, SettingsError
from engine.index.segment import Segment
from engine.notices import Notice
from engine.query_limits import check_time, reserve
from engine.records import NamedTuple, dataclass
from engine.semantic.encoders import Encoder, Vectors
from engine.threads import cached_property

WORD, VECTOR, ENCODER = "vector_word", "vector", "encoder.json"
LARGEST = 127
# A text about nothing that a collection is about, in words that any encoder knows.
CHECK_TEXT = "The ship was lost in the fog, because nobody had lit the lamp of the old lighthouse that night."
# The least cosine of the vectors of one text by one encoder: it may differ in its last digits on another machine.
LEAST_ALIKE = 0.999
# Blocks that are compared with a query at a time.
AT_ONCE = 1024


def has_vectors(folder: CheckedFolder) -> bool:
    """Return whether a segment, in the folder of its elements, has vectors."""
    return folder.has(ENCODER)


@dataclass(frozen=True)
class EncoderRecord:
    """The encoder of an index: its name, and its vector of CHECK_TEXT in signed bytes."""

    name: str
    check: tuple[int, ...]

    @classmethod
    def of(cls, encoder: Encoder) -> EncoderRecord:
        """Return the record of an encoder; raises SettingsError if it fails."""
        (check,) = quantised(encoder.unit_vectors([CHECK_TEXT], lambda: None)).tolist()
        return cls(encoder.name, tuple(check))

    @classmethod
    def read(cls, folder: CheckedFolder) -> EncoderRecord | None:
        """Return the record in the folder of a segment's elements; None if the segment has no vectors."""
        if not has_vectors(folder):
            return None
        file = folder.file(ENCODER)
        file.check(0, len(file.data))
        try:
            content = json.loads(file.data.tobytes())
            record = cls(content["name"], tuple(content["check"]))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise IndexFormatError(f"{file.path}: not the record of an encoder ({error}): {INDEX_AGAIN}.") from None
        width = folder.column(VECTOR).values.shape[1]
        is_check = len(record.check) == width and all(type(n) is int and abs(n) <= LARGEST for n in record.check)
        if type(record.name) is not str or not width or not is_check:
            raise IndexFormatError(f"{file.path}: not the record of an encoder: {INDEX_AGAIN}.")
        return record

    @property
    def n_dimensions(self) -> int:
        """Numbers of a vector."""
        return len(self.check)

    def to_bytes(self) -> bytes:
        """Return the content of the file."""
        return json.dumps(asdict(self)).encode()

    def check_is_like(self, now: EncoderRecord) -> None:
        """Raise SettingsError unless the encoder of now, of the same name, makes the same vectors."""
        if not self.is_like(now):
            sizes = {"dimensions": now.n_dimensions, "known": self.n_dimensions}
            raise SettingsError(Notice("encoder_changed", {"encoder": self.name, **sizes}))

    def is_like(self, other: EncoderRecord) -> bool:
        """Return whether vectors of both can be compared."""
        if (self.name, self.n_dimensions) != (other.name, other.n_dimensions):
            return False
        if self.check == other.check:
            return True
        one, two = (np.array(each.check, np.float64) for each in (self, other))
        return float(one @ two) >= LEAST_ALIKE * float(np.sqrt((one @ one) * (two @ two)))


def quantised(vectors: Vectors) -> NDArray[np.int8]:
    """Return vectors in signed bytes, the largest number of each LARGEST or -LARGEST; zeros stay zeros."""
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    scale = np.divide(LARGEST, largest, out=np.zeros_like(largest), where=largest > 0)
    rounded: NDArray[np.int8] = np.rint(vectors * scale).astype(np.int8)
    return rounded


class VectorColumns(NamedTuple):
    """The vectors of the blocks of documents, in their order; see the module. Columns may be spilled."""

    record: EncoderRecord
    word: Any  # shape (n_blocks,)
    vector: Any  # shape (n_blocks, n_dimensions), int8

    @classmethod
    def read(cls, folder: CheckedFolder) -> VectorColumns | None:
        """Return the columns of a segment, which are read slice by slice; None if it has no vectors."""
        record = EncoderRecord.read(folder)
        if record is None:
            return None
        return cls(record, SlicedColumn.ascending(folder, WORD), SlicedColumn.plain(folder, VECTOR))


class BlockVectors:
    """The vectors of an open index, across its segments.

    Args:
        word_base: for each segment the number of its first word, then the number of words.
    """

    def __init__(self, segments: Sequence[Segment], word_base: Rows) -> None:
        self._segments, self._word_base = segments, word_base
        self._checked: Encoder | None = None  # the encoder that was compared with the record

    @cached_property
    def record(self) -> EncoderRecord | None:
        """The encoder of all segments; None where one has no vectors, or those of another encoder."""
        records = [EncoderRecord.read(segment.elements) for segment in self._segments]
        first = records[0] if records else None
        return first if all(first and each and first.is_like(each) for each in records) else None

    @property
    def n_blocks(self) -> int:
        """Number of vectors, those of deleted documents included."""
        return sum(len(columns) for columns in self._columns)

    def check(self, encoder: Encoder) -> None:
        """Raise SettingsError unless the vectors are those of an encoder, which encodes one text for it, once."""
        if self._checked is encoder or not self._segments:
            return
        if self.record is None:
            records = [EncoderRecord.read(segment.elements) for segment in self._segments]
            names = sorted({"" if each is None else each.name for each in records})
            if len(names) > 1 and "" not in names:
                raise SettingsError(Notice("other_encoder", {"encoder": encoder.name, "known": " and ".join(names)}))
            raise SettingsError(Notice("no_vectors", {"encoder": encoder.name}))
        if self.record.name != encoder.name:
            raise SettingsError(Notice("other_encoder", {"encoder": encoder.name, "known": self.record.name}))
        self.record.check_is_like(EncoderRecord.of(encoder))
        self._checked = encoder

    def cosines(self, begins: Numbers, ends: Numbers, query: FloatArray) -> FloatArray:
        """Return how alike a query and runs of words are: the cosine of the best block of each, shape (n,).

        A block that shares a word with a run counts whole: what stands around a short text says what it is about.

        Args:
            begins, ends: the first word of each run, and the one after its last; an empty run has the cosine 0.
            query: its vector, of length 1.
        """
        found = np.zeros(len(begins))
        numbers = np.searchsorted(self._word_base, begins, side="right") - 1
        numbers[begins >= ends] = -1
        for number in distinct(numbers).tolist():
            if number >= 0:
                chosen, base = places_of(numbers == number), self._word_base[number]
                found[chosen] = self._columns[number].cosines(begins[chosen] - base, ends[chosen] - base, query)
        return found

    def every(self, query: FloatArray) -> tuple[Numbers, FloatArray]:
        """Return the number of the first word of each block, ascending, and its cosine with a query, shape (n_blocks,).

        The numbers of the query are rounded to signed bytes, too: sums of products are whole numbers, the same in any
        order of additions.

        Args:
            query: its vector.
        Raises: QueryLimitError, QueryTimeError.
        """
        reserve(4 * self.n_blocks)
        (rounded,) = quantised(query[np.newaxis])
        found = [columns.every(rounded) for columns in self._columns]
        bases = self._word_base[: len(found)]
        words = [words + base for (words, _), base in zip(found, bases, strict=True)]
        return np.concatenate([bases[:0], *words]), np.concatenate([np.zeros(0), *(cosines for _, cosines in found)])

    @cached_property
    def _columns(self) -> list[_SegmentVectors]:
        return [_SegmentVectors(segment) for segment in self._segments]


class _SegmentVectors:
    """The vectors of one segment; words and blocks are numbered within it."""

    def __init__(self, segment: Segment) -> None:
        self._words = AscendingColumn(segment.elements, WORD)
        self._vectors = segment.elements.column(VECTOR)

    def __len__(self) -> int:
        return len(self._words)

    def cosines(self, begins: Numbers, ends: Numbers, query: FloatArray) -> FloatArray:
        """Return the result of `BlockVectors.cosines`."""
        first, last = self._words.rank(begins + 1) - 1, self._words.rank(ends)
        order = first.argsort()
        first, last = first.take(order), last.take(order)
        reached = np.maximum.accumulate(last)  # blocks before these belong to the runs so far
        new = np.maximum(first, np.concatenate([first[:1], reached[:-1]]))
        counts = np.maximum(reached - new, 0)
        reserve(2 * int(counts.sum()))
        blocks = ranges(new, counts)
        cosines = self._cosines_of(blocks, query)
        places = np.stack([blocks.searchsorted(first), blocks.searchsorted(last)], axis=1)
        best = np.zeros(len(order))
        for at in range(0, len(order), AT_ONCE):
            check_time()
            borders = places[at : at + AT_ONCE].ravel()
            best[order[at : at + AT_ONCE]] = np.maximum.reduceat(np.append(cosines, 0.0), borders)[::2]
        return best

    def _cosines_of(self, blocks: Rows, query: FloatArray) -> FloatArray:
        """Return the cosine of each of some blocks and a query of length 1, shape (n_blocks,)."""
        found = [np.zeros(0)]
        for first in range(0, len(blocks), AT_ONCE):
            check_time()
            found.append(_cosines(self._vectors.take(blocks[first : first + AT_ONCE]), query))
        return np.concatenate(found)

    def every(self, query: NDArray[np.int8]) -> tuple[Numbers, FloatArray]:
        """Return the first word of each block, and its cosine with a query, shape (n_blocks,)."""
        products = np.concatenate([np.zeros(0), *(piece @ query.astype(piece.dtype) for piece in self._pieces())])
        return self._words.slice(0, len(self)), products / (self._lengths * (_lengths_of(query[np.newaxis])[0] or 1.0))

    def _pieces(self) -> Iterator[FloatArray]:
        """Yield the vectors, in floats that contain any sum of products of their whole numbers."""
        width = self._vectors.values.shape[1]
        dtype = np.float32 if width * LARGEST**2 < 2**24 else np.float64
        for first in range(0, len(self), AT_ONCE):
            check_time()
            yield self._vectors.slice(first, min(first + AT_ONCE, len(self))).astype(dtype)

    @cached_property
    def _lengths(self) -> FloatArray:
        """The length of each vector, 1 of one that has none, shape (n_blocks,)."""
        lengths = np.concatenate([np.zeros(0), *map(_lengths_of, self._pieces())])
        return np.where(lengths > 0, lengths, 1.0)


def _cosines(vectors: NDArray[np.int8], query: FloatArray) -> FloatArray:
    """Return the cosines of vectors with a query of length 1; 0 of a vector without length."""
    of_floats = vectors.astype(np.float64)
    lengths = _lengths_of(of_floats)
    cosines: FloatArray = np.einsum("ij,j->i", of_floats, query) / np.where(lengths > 0, lengths, 1.0)
    return cosines


def _lengths_of(vectors: NDArray[Any]) -> FloatArray:
    """Return the lengths of vectors of whole numbers, shape (n,)."""
    of_floats = vectors.astype(np.float64)
    lengths: FloatArray = np.sqrt(np.einsum("ij,ij->i", of_floats, of_floats))
    return lengths
