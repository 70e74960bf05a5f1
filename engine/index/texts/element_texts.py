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

from engine.arrays import Mask, Numbers, Rows, distinct, is_among, mask_of, ranges
from engine.index.elements.element_store import Elements
from engine.index.segment import Segment
from engine.query_limits import check_time, reserve
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

    def spans_between(self, pairs: Numbers) -> Numbers:
        """Return where the first element of each pair begins and the second one ends; pairs have shape (n, 2)."""
        return np.column_stack((self.spans_of(pairs[:, 0])[:, 0], self.spans_of(pairs[:, 1])[:, 1]))


# In place of an element that is left out, or of a break: it ends a word, and is in no text.
BORDER = "\1"


class Pieces(NamedTuple):
    """The pieces of the own texts of leaves in their order, in code points of the documents; some are empty.

    n_of_leaf: pieces of each leaf. end_words: whether a word ends with a piece: at an element that is neither inline
    nor skipped, at a break, or at the end of the leaf.
    """

    n_of_leaf: Numbers
    begins: Numbers
    ends: Numbers
    end_words: Mask


def own_pieces(index: TextReader, leaves: Rows) -> Pieces:
    """Return the pieces of own texts (of leaves, ascending), parted by elements that are not inline, and by breaks."""
    elements = index.elements
    n_below = elements.end(leaves) - leaves - 1
    reserve(taken := int(n_below.sum()) * NUMBERS_BELOW)
    below = ranges(leaves + 1, n_below)
    every = below if (below[1:] > below[:-1]).all() else distinct(below)  # a leaf may be inside another
    every = every.compress(elements.end_words(every))
    is_inside = is_among(below, every)
    of_leaf, places = np.arange(len(leaves)).repeat(n_below)[is_inside], every.searchsorted(below.compress(is_inside))
    begins, stops = index.spans_of(every).take(places, axis=0).T
    skips = elements.are_skipped(every).take(places)
    breaks = elements.is_inline(every).take(places) & ~skips
    # What is left out; nothing at both ends of a break.
    part = np.arange(len(places)).repeat(1 + breaks)
    is_second = np.diff(part, prepend=-1) == 0
    starts = np.where(is_second, stops.take(part), begins.take(part))
    stops = np.where(breaks.take(part) & ~is_second, begins.take(part), stops.take(part))
    order = np.lexsort((starts, of_leaf.take(part)))
    of_leaf, part, starts, stops = (column.take(order) for column in (of_leaf.take(part), part, starts, stops))
    # What begins before the end of one of the same leaf is inside that.
    spans = index.spans_of(leaves)
    apart = of_leaf * (1 + int(spans.max(initial=0)))
    is_outer = np.ones(len(part), np.bool_)
    is_outer[1:] = (apart + starts)[1:] >= np.maximum.accumulate(apart + stops)[:-1]
    of_leaf, part, starts, stops = (column.compress(is_outer) for column in (of_leaf, part, starts, stops))
    n_of_leaf = np.bincount(of_leaf, minlength=len(leaves)) + 1
    is_last = mask_of(n_of_leaf.cumsum() - 1, len(part) + len(leaves))
    is_first = mask_of(n_of_leaf.cumsum() - n_of_leaf, len(is_last))
    found = Pieces(n_of_leaf, np.empty(len(is_last), np.int64), np.empty(len(is_last), np.int64), is_last.copy())
    found.begins[is_first], found.begins[~is_first] = spans[:, 0], stops
    found.ends[is_last], found.ends[~is_last] = spans[:, 1], starts
    found.end_words[~is_last] = ~skips.take(part)
    reserve(-taken)
    return found


# Numbers that an element below a leaf takes while pieces are found.
NUMBERS_BELOW = 16


def own_texts(index: TextReader, leaves: Rows) -> list[str]:
    """Return the own texts of leaves (ascending), `BORDER` after each piece that ends a word."""
    pieces = own_pieces(index, leaves)
    documents = index.elements.document(leaves).repeat(pieces.n_of_leaf).tolist()
    parts = index.text_parts(documents, np.stack([pieces.begins, pieces.ends], axis=1))
    parts = [part + BORDER if ends_word else part for part, ends_word in zip(parts, pieces.end_words, strict=True)]
    stops = pieces.n_of_leaf.cumsum().tolist()
    return ["".join(parts[first:stop]) for first, stop in pairwise([0, *stops])]


def own_offsets(index: TextReader, leaf: int) -> NDArray[np.int64]:
    """Return the offset in the document's text of each character of an element's own text."""
    pieces = own_pieces(index, np.array([leaf]))
    return ranges(pieces.begins, pieces.ends - pieces.begins + pieces.end_words)


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
        if not len(rows) or form in self._analyser.folded_words(self._analyser.stop_words):
            return found
        texts = TextReader(self._segments, elements)
        begins = np.flatnonzero(np.diff(rows, prepend=-1))
        n_of_leaf = np.diff(begins, append=len(rows))
        leaves = rows.take(begins)
        sizes = np.diff(texts.spans_of(leaves)).ravel().cumsum() // AT_ONCE
        borders = [0, *(np.flatnonzero(np.diff(sizes)) + 1).tolist(), len(leaves)]
        for first, last in pairwise(borders):
            check_time()
            own = [text.encode() for text in own_texts(texts, leaves[first:last])]
            reserve(taken := sum(map(len, own)) * NUMBERS_OF_BYTE)
            lengths = np.array([len(text) for text in own], np.int64)
            words = self._analyser.words(np.frombuffer(b"".join(own), np.uint8))
            of_leaf = n_of_leaf[first:last]
            chosen = slice(int(begins[first]), int(begins[first] + of_leaf.sum()))
            first_words = words.starts.searchsorted(lengths.cumsum() - lengths)
            numbers = first_words.repeat(of_leaf) + positions[chosen]
            found[chosen] = [word == form for word in self._analyser.forms_at(words, numbers)]
            reserve(-taken)
        return found


# Characters of own texts that are read at a time, and numbers that a byte of them takes.
AT_ONCE, NUMBERS_OF_BYTE = 2**20, 4
