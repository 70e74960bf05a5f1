"""Blocks of documents, and their vectors: what a build writes for searches by meaning (`engine.index.block_vectors`).

A block is a run of neighbouring own texts (of paragraphs, items, cells, turns) with LEAST words or more, as far as
that makes no more than MOST; a longer text is cut into equal blocks. So short texts are encoded beside their
neighbours, and no block crosses a document.
"""

from __future__ import annotations

import fnmatch
import hashlib
import os
import secrets
import sqlite3
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Rows, places_of
from engine.columns.ascending_column import AscendingColumnWriter
from engine.columns.folder_writer import FolderWriter
from engine.columns.sliced import pieces
from engine.errors import CollectionError, SettingsError
from engine.index.block_vectors import ENCODER, VECTOR, WORD, EncoderRecord, quantised
from engine.index.elements.element_store import Elements
from engine.index.segment import Segment
from engine.index.texts.passage_offsets import without
from engine.indexing.index_part import IndexPart
from engine.notices import Notice
from engine.progress import Progress, counting
from engine.semantic.encoders import Encoder, encoder, is_of_user
from engine.system import platform
from engine.system.held_folder import HeldFolder

# Words of a block, and characters of its text that are encoded.
LEAST, MOST, LONGEST = 100, 200, 4000
# A longer run of letters is cut anywhere.
LONGEST_WORD = 40
# Blocks that are encoded, and kept for a build that goes on, at a time.
AT_ONCE = 256
# File in the folder of an index with the vectors of a build that was killed. SQLite opens it by its path: where that
# leads elsewhere by then, the folder there has no file whose name was drawn at random for this one.
KEPT = ".vectors-{}.sqlite"
# Value of the setting that leaves vectors out.
NONE = "none"


def wanted_encoder(name: str | None, segments: Iterable[Segment]) -> EncoderRecord | None:
    """Return the encoder whose vectors an index shall have; None for none.

    Args:
        name: of an encoder, which is loaded; NONE; None for that of the segments.
    Raises: SettingsError for an encoder that is missing or fails.
    """
    if name == NONE:
        return None
    known = next((record for segment in segments if (record := EncoderRecord.read(segment.elements))), None)
    if name is None:
        return known
    now = EncoderRecord.of(encoder(name))
    return known if known is not None and known.is_like(now) else now


class BlockEncoding:
    """Vectors of texts for one build; those that are made stay in a file, so that a killed build need not repeat them.

    Args:
        record: the encoder, which is loaded once there is a text to encode. index: the folder.
        is_named: whether the user named it: code that an index alone names does not run.
    """

    def __init__(self, record: EncoderRecord, index: HeldFolder, progress: Progress, *, is_named: bool) -> None:
        self.record, self.index, self.progress, self.is_named = record, index, progress, is_named
        self.n_encoded = 0  # texts so far
        self._encoder: Encoder | None = None

    def vectors(self, texts: Sequence[str]) -> NDArray[np.int8]:
        """Return the vectors of texts in signed bytes, shape (n_texts, n_dimensions).

        Raises: SettingsError for an encoder that fails, is not that of the index any more, or has to be named;
            CollectionError where another folder was put in the place of the index.
        """
        keys = [hashlib.blake2b(self.record.to_bytes() + text.encode(), digest_size=16).digest() for text in texts]
        path = self.index.path_of(self._file())
        try:
            with closing(sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True)) as kept:
                kept.execute("CREATE TABLE IF NOT EXISTS vectors (text BLOB PRIMARY KEY, vector BLOB)")
                found = {key: self._kept(kept, key) for key in keys}
                missing = {key: text for key, text in zip(keys, texts, strict=True) if not found[key]}
                if missing:
                    encoded = self._encoded([*missing.values()])
                    made = {key: row.tobytes() for key, row in zip(missing, encoded, strict=True)}
                    with kept:
                        kept.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", made.items())
                    found |= made
        except sqlite3.Error as error:
            self.index.check()
            raise CollectionError(
                f"{path}: the vectors that are made cannot be kept ({error}): make room on the disk; if there is, "
                "remove the file."
            ) from error
        return np.frombuffer(b"".join(map(found.__getitem__, keys)), np.int8).reshape(
            len(texts), self.record.n_dimensions
        )

    def _file(self) -> str:
        """Return the name of the file, which is made where there is none, or a link to what is not of the index."""
        names = [*fnmatch.filter(self.index.names(), KEPT.format("*")), KEPT.format(secrets.token_hex(8))]
        with suppress(FileNotFoundError):
            status = self.index.status(names[0])
            if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
                self.index.remove([names[0]])
        self.index.open(names[0], platform.WRITE | os.O_CREAT).close()
        return names[0]

    def _kept(self, kept: sqlite3.Connection, key: bytes) -> bytes:
        """Return a vector that was made before; empty if there is none."""
        (vector,) = kept.execute("SELECT vector FROM vectors WHERE text = ?", (key,)).fetchone() or (None,)
        return vector if isinstance(vector, bytes) and len(vector) == self.record.n_dimensions else b""

    def _encoded(self, texts: list[str]) -> NDArray[np.int8]:
        if self._encoder is None:
            if not self.is_named and is_of_user(self.record.name):
                raise SettingsError(Notice("encoder_not_named", {"encoder": self.record.name}))
            by = encoder(self.record.name)
            self.record.check_is_like(EncoderRecord.of(by))
            self._encoder = by
        self.n_encoded += len(texts)
        return quantised(self._encoder.unit_vectors(texts, lambda: None))

    def finish(self) -> None:
        """Remove the file: all vectors are in the index."""
        self.index.remove(fnmatch.filter(self.index.names(), KEPT.format("*")))


def write_vectors(
    elements: Elements, segment: Segment, parts: Sequence[IndexPart], by: BlockEncoding, writer: FolderWriter
) -> None:
    """Write the vectors of a segment: those that parts have by this encoder are copied, others are made.

    Args:
        elements: of the segment, whose other columns are written. parts: those that it was merged from.
    """
    first_word = first_document = 0
    words, to_encode = list[Rows](), list[range | None]()
    for part in parts:
        documents = range(first_document, first_document + part.n_documents)
        has_vectors = part.vectors is not None and part.vectors.record.is_like(by.record)
        if part.vectors is not None and has_vectors:
            words.append(np.asarray(part.vectors.word).astype(np.int64) + first_word)
        else:
            starts = [word for document in documents for word, _ in blocks(*_own_words(segment, document)[1:])]
            words.append(np.array(starts, np.int64))
        to_encode.append(None if has_vectors else documents)
        first_word, first_document = first_word + int(part.columns["word"][-1:][0]), documents.stop
    column = AscendingColumnWriter(writer, WORD)
    for of_part in words:
        column.append(of_part)
    column.finish()
    n_encoded = sum(len(of_part) for of_part, documents in zip(words, to_encode, strict=True) if documents is not None)
    advance = counting(by.progress, "encoding", n_encoded)
    file = writer.start_column(VECTOR, np.dtype(np.int8), (sum(map(len, words)), by.record.n_dimensions))
    try:
        for part, to_make in zip(parts, to_encode, strict=True):
            if to_make is not None:
                source = _texts(elements, segment, to_make)
                while texts := list(islice(source, AT_ONCE)):
                    file.append(by.vectors(texts))
                    advance(len(texts))
            elif part.vectors is not None:
                for piece in pieces(part.vectors.vector):
                    file.append(piece)
    except BaseException:
        file.close(sync=False)
        raise
    writer.finish(file)
    writer.bytes(ENCODER, by.record.to_bytes())


def _own_words(segment: Segment, document: int) -> tuple[Rows, Rows, Rows]:
    """Return the elements of a document with own words, counted from its root, the first of these and their number."""
    first, end = segment.first_row[document : document + 2].tolist()
    words = segment.words.slice(first, end + 1)
    counts = np.diff(words)
    places = places_of(counts)
    return places, words.take(places), counts.take(places)


def blocks(
    words: Rows, counts: Rows, text_of: Callable[[int, int, int], str] = lambda *_: ""
) -> Iterator[tuple[int, str]]:
    """Yield the first word of each block of a document, and its text.

    Args:
        words, counts: first word and number of words of each own text.
        text_of: returns one of the equal parts of an own text, given the number of the text, of the part and of parts.
    """
    start, size, texts = -1, 0, list[str]()
    for number, (word, count) in enumerate(zip(words.tolist(), counts.tolist(), strict=True)):
        n_parts = -(-count // MOST)
        if start >= 0 and (size >= LEAST or size + count > MOST):
            yield start, " ".join(texts)
            start, size, texts = -1, 0, []
        for part in range(n_parts - 1):
            yield word + count * part // n_parts, text_of(number, part, n_parts)
        if start < 0:
            start = word + count * (n_parts - 1) // n_parts
        size += -(-count // n_parts)
        texts.append(text_of(number, n_parts - 1, n_parts))
    if start >= 0:
        yield start, " ".join(texts)


def _texts(elements: Elements, segment: Segment, documents: range) -> Iterator[str]:
    """Yield the texts of the blocks of documents, white space collapsed."""
    for document in documents:
        rows, words, counts = _own_words(segment, document)
        spans, text = segment.texts.spans(document), segment.texts.text(document)
        every = int(segment.first_row[document]) + np.arange(len(spans.starts))
        skipped = elements.are_skipped(every)
        text = without(text, np.stack([spans.starts[skipped], spans.stops[skipped]], axis=1))
        edges = [*spans.starts[rows].tolist(), len(text)]  # what follows a child goes with the child

        def text_of(number: int, part: int, n_parts: int, text: str = text, edges: list[int] = edges) -> str:
            begin, stop = edges[number : number + 2]
            first, last = (_near(text, begin + (stop - begin) * each // n_parts, stop) for each in (part, part + 1))
            return text[first if part else begin : last]

        for _, of_block in blocks(words, counts, text_of):
            yield " ".join(of_block.split())[:LONGEST]


def _near(text: str, place: int, stop: int) -> int:
    """Return where the next word begins, if it is near; a place in a text as it is."""
    found = text.find(" ", place, min(place + LONGEST_WORD, stop))
    return place if found < 0 else found
