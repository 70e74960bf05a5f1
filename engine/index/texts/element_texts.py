"""The texts of the documents of an open index, where elements lie in them, and the own text of an element.

That of its inline elements is included, that of other elements inside it left out. Words go on across an element that
the profile skips, and end at any other that is left out.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask, Numbers, Rows, distinct
from engine.index.elements.element_store import Elements
from engine.index.segment import Segment
from engine.query_limits import check_time
from engine.records import NamedTuple
from engine.text.analyser import Analyser
from engine.text.utf8 import EncodedText


class TextReader:
    """The texts of documents, which are numbered through all segments."""

    def __init__(self, segments: Sequence[Segment], elements: Elements) -> None:
        self.segments, self.elements = segments, elements
        self._document_bases: list[int] = elements.document_base.tolist()

    def locate(self, document: int) -> tuple[int, int]:
        """Return the number of the segment of a document, and the number of the document in the segment."""
        segment = bisect_right(self._document_bases, document) - 1
        return segment, document - self._document_bases[segment]

    def text(self, document: int) -> str:
        """Return a document's text."""
        segment, local = self.locate(document)
        return self.segments[segment].texts.text(local)

    def texts_of(self, rows: Numbers) -> list[str]:
        """Return the texts of elements of any documents, which are not cached."""
        return self.text_parts(self.elements.document(rows).tolist(), self.spans_of(rows))

    def text_parts(self, documents: Sequence[int], spans: Numbers) -> list[str]:
        """Return parts of documents' texts, given start and end (exclusive) of each, in characters, shape (n, 2).

        Args:
            documents: the document of each part.
        """
        if len(self.segments) == 1:
            return self.segments[0].texts.parts(documents, spans)
        places: dict[int, list[int]] = {}
        located = [self.locate(document) for document in documents]
        for place, (segment, _) in enumerate(located):
            places.setdefault(segment, []).append(place)
        texts = [""] * len(documents)
        for segment, chosen in places.items():
            local = [located[place][1] for place in chosen]
            parts = self.segments[segment].texts.parts(local, spans.take(chosen, axis=0))
            for place, text in zip(chosen, parts, strict=True):
                texts[place] = text
        return texts

    def encoded_text(self, document: int) -> EncodedText:
        """Return a document's text as bytes, of which parts can be decoded alone."""
        segment, local = self.locate(document)
        return self.segments[segment].texts.encoded(local)

    def spans(self, document: int, rows: Numbers) -> Numbers:
        """Return the start and end offsets of elements of a document in its text, in code points, shape (n, 2)."""
        segment, local = self.locate(document)
        spans = self.segments[segment].texts.spans(local)
        places = rows - self.elements.row_base[segment] - self.segments[segment].first_row[local]
        return np.stack([spans.starts[places], spans.stops[places]], axis=1).astype(np.int64)

    def spans_of(self, rows: Numbers) -> Numbers:
        """Return the start and end offsets of elements of any documents, in any order; see `spans`."""
        if len(self.segments) == 1:
            return self.segments[0].texts.spans_of(rows)
        found = np.empty((len(rows), 2), np.int64)
        segment = self.elements.row_base.searchsorted(rows, "right") - 1
        for number in distinct(segment).tolist():
            chosen = segment == number
            local = rows.compress(chosen) - self.elements.row_base[number]
            found[chosen] = self.segments[number].texts.spans_of(local)
        return found


# In place of an element that is left out, or of a break: it ends a word, and is in no text.
BORDER = "\1"


class Piece(NamedTuple):
    """A piece of own text, in code points of the document; it may be empty.

    ends_word: whether a word ends with it: at an element that is neither inline nor skipped, or at a break.
    """

    begin: int
    end: int
    ends_word: bool


def own_pieces(index: TextReader, document: int, leaf: int) -> list[Piece]:
    """Return the pieces of an element's own text, parted by elements that are not inline and by ends of breaks."""
    below = np.arange(leaf + 1, int(index.elements.end(np.array([leaf]))[0]))
    place, end = index.spans(document, np.array([leaf]))[0].tolist()
    below = below[index.elements.end_words(below)]
    are_skipped = index.elements.are_skipped(below).tolist()
    are_inline = index.elements.is_inline(below).tolist()
    parts: list[tuple[int, int, bool]] = []  # what is left out, nothing at the ends of breaks
    for (begin, stop), skips, is_break in zip(
        index.spans(document, below).tolist(), are_skipped, are_inline, strict=True
    ):
        parts += [(begin, begin, True), (stop, stop, True)] if is_break and not skips else [(begin, stop, not skips)]
    pieces = []
    for begin, stop, ends_word in sorted(parts, key=lambda part: part[0]):
        if begin >= place:  # else it is inside the one before
            pieces.append(Piece(place, begin, ends_word))
            place = stop
    return [*pieces, Piece(place, end, ends_word=True)]


def own_text(index: TextReader, document: int, leaf: int) -> str:
    """Return the own text of an element, `BORDER` after each piece that ends a word."""
    text, pieces = index.text(document), own_pieces(index, document, leaf)
    return "".join(text[piece.begin : piece.end] + BORDER * piece.ends_word for piece in pieces)


def own_offsets(index: TextReader, document: int, leaf: int) -> NDArray[np.int64]:
    """Return the offset in the document's text of each character of an element's own text."""
    pieces = own_pieces(index, document, leaf)
    return np.concatenate([np.arange(piece.begin, piece.end + piece.ends_word) for piece in pieces])


def element_texts(index: TextReader, rows: NDArray[np.int64]) -> Iterator[str]:
    """Yield the texts of the elements (ascending)."""
    if not len(rows):
        return
    documents = index.elements.document(rows)
    begins = np.flatnonzero(np.diff(documents, prepend=-1))
    places = rows - index.elements.root(documents)
    for document, begin, end in zip(
        documents[begins].tolist(), begins.tolist(), [*begins[1:].tolist(), len(rows)], strict=True
    ):
        check_time()
        segment, local = index.locate(document)
        yield from index.segments[segment].texts.of_elements(local, places[begin:end])


class WordForms:
    """The forms of the words of an index."""

    def __init__(self, segments: Sequence[Segment], analyser: Analyser) -> None:
        self._segments, self._analyser = segments, analyser

    def have_form(self, elements: Elements, rows: Rows, positions: Rows, form: str) -> Mask:
        """Return which words have a form, given by their leaves (ascending) and their positions in the own text.

        Args:
            elements: those of the index; a reference of an object to the elements that have it would be a cycle.
        """
        found = np.zeros(len(rows), np.bool_)
        texts = TextReader(self._segments, elements)
        begins = [*np.flatnonzero(np.diff(rows, prepend=-1)).tolist(), len(rows)]
        for begin, end in pairwise(begins):
            check_time()
            leaf = rows[begin : begin + 1]
            forms = self._analyser.forms_of(own_text(texts, int(elements.document(leaf)[0]), int(leaf[0])))
            found[begin:end] = [forms[position] == form for position in positions[begin:end].tolist()]
        return found
