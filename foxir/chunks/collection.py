"""A collection as retrievers of chunks see it: plain text, words and elements of every document, on foxir's offsets.

Words are runs of letters and digits; as in foxir, no word crosses the border of an element that ends words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask, Numbers
from engine.index.locator import paths_of
from engine.index.reader import IndexReader

# A run of letters and digits.
WORD = re.compile(r"[^\W_]+")


BREAK = "\n\n"  # between two blocks of plain text, as splitters of text expect it


@dataclass(frozen=True)
class Plain:
    """A document as plain text: its blocks, a blank line between two; `source` has the origin of each character."""

    text: str
    begins: Numbers  # a block: its first character here
    sources: Numbers  # a block: its first character in the document's text

    def source(self, places: Numbers) -> Numbers:
        """Return offsets in the document's text by offsets in the plain text."""
        block = np.searchsorted(self.begins, places, side="right") - 1
        return places - self.begins[block] + self.sources[block]


@dataclass(frozen=True)
class WordColumns:
    """The words of all documents, one after the other: a number into `surfaces`, where it begins."""

    bounds: Numbers  # a document: the place of its first word; one more at the end
    number: NDArray[np.int32]
    start: NDArray[np.int32]
    surfaces: Sequence[str]


@dataclass(frozen=True)
class Pieces:
    """Pieces of documents that are retrieved: document, start and end (characters), grouped by document.

    `rows` are the rows of the index where the pieces are elements, else empty.
    """

    document: Numbers
    start: Numbers
    end: Numbers
    rows: Numbers

    def __len__(self) -> int:
        return len(self.document)


class Collection:
    """The live documents of an open index, numbered from 0 in the order of their ids."""

    def __init__(self, index: IndexReader) -> None:
        self.index = index
        live = index.live_documents.tolist()
        # the index's number of each document
        self.documents = np.array(sorted(live, key=lambda document: index.ids[document]), np.int64)
        self.ids = [index.ids[document] for document in self.documents.tolist()]
        self.first_row = index.elements.root(self.documents)
        self.end_row = index.elements.document_end(self.documents)
        self._place = np.full(len(index.ids), -1)
        self._place[self.documents] = np.arange(len(self.documents))

    def text(self, document: int) -> str:
        """Return the text of a document."""
        return self.index.text(int(self.documents[document]))

    @cached_property
    def plain(self) -> list[Plain]:
        """Every document as plain text."""
        return [self._plain(document) for document in range(len(self.ids))]

    @cached_property
    def words(self) -> WordColumns:
        """The words of all documents."""
        numbers: dict[str, int] = {}
        found: list[list[int]] = []
        starts: list[Numbers] = []
        for plain in self.plain:
            matches = list(WORD.finditer(plain.text))
            found.append([numbers.setdefault(match.group(), len(numbers)) for match in matches])
            starts.append(plain.source(np.array([match.start() for match in matches], np.int64)))
        bounds = np.cumsum([0, *map(len, found)])
        number = np.concatenate([np.array(each, np.int32) for each in found])
        return WordColumns(bounds, number, np.concatenate(starts).astype(np.int32), list(numbers))

    @cached_property
    def articles(self) -> Pieces:
        """Whole documents."""
        return self._elements(self.first_row)

    @cached_property
    def elements(self) -> Pieces:
        """The block elements with a word."""
        every = [self._blocks(document) for document in range(len(self.ids))]
        return self._with_words(self._elements(np.concatenate(every)))

    def named(self, tags: Sequence[str]) -> Pieces:
        """Return the elements with a word by their names."""
        every = self.elements
        numbers = [self.index.elements.tag_numbers[tag] for tag in tags if tag in self.index.elements.tag_numbers]
        return _chosen(every, np.isin(self.index.elements.tag(every.rows), numbers))

    def spans(self, found: Sequence[tuple[int, Numbers]]) -> Pieces:
        """Return pieces of plain text, given as (document, starts and ends of shape (n, 2)), without empty ones."""
        return self._with_words(self.places(found))

    def places(self, found: Sequence[tuple[int, Numbers]]) -> Pieces:
        """Return pieces of plain text with their places in the documents, those without a word, too."""
        parts = []
        for document, spans in found:
            plain = self.plain[document]
            starts, ends = plain.source(spans[:, 0]), plain.source(spans[:, 1] - 1) + 1
            parts.append(np.stack([np.full(len(spans), document), starts, ends]))
        document, start, end = np.concatenate(parts, axis=1)
        return Pieces(document, start, end, np.empty(0, np.int64))

    def word_ranges(self, units: Pieces) -> Numbers:
        """Return the places of the first word of each piece and of the one past its last, shape (n, 2)."""
        words = self.words
        ranges = np.empty((len(units), 2), np.int64)
        borders = np.searchsorted(units.document, np.arange(len(self.ids) + 1))
        for document, (first, last) in enumerate(pairwise(borders)):
            begin, end = words.bounds[document : document + 2]
            here = words.start[begin:end]
            ranges[first:last, 0] = np.searchsorted(here, units.start[first:last]) + begin
            ranges[first:last, 1] = np.searchsorted(here, units.end[first:last]) + begin
        return ranges

    def paths(self, document: int) -> Sequence[str]:
        """Return the paths of all elements of a document, in the order of its rows."""
        rows = np.arange(self.first_row[document], self.end_row[document])
        elements = self.index.elements
        parents = np.maximum(elements.parent(rows) - rows[0], 0)
        columns = parents.tolist(), elements.tag(rows).tolist(), elements.ordinal(rows).tolist()
        return paths_of(*columns, elements.tags)

    def _blocks(self, document: int) -> Numbers:
        """Return the rows of a document's elements that are not inline."""
        rows = np.arange(self.first_row[document], self.end_row[document])
        is_block = self.index.elements.nearest_non_inline(rows) == rows
        return np.asarray(rows[is_block], np.int64)

    def _plain(self, document: int) -> Plain:
        text = self.text(document)
        rows = np.arange(self.first_row[document], self.end_row[document])
        of_blocks = set(self._spans(document, self._blocks(document)).ravel().tolist())
        of_words = self._spans(document, rows[self.index.elements.end_words(rows)])
        pieces, begins, sources, length, gap = list[str](), list[int](), list[int](), 0, ""
        for start, end in pairwise(np.unique(of_words).tolist()):
            gap = BREAK if start in of_blocks else gap or " "
            if re.search(r"\S", piece := text[start:end]):
                pieces += [gap, piece] if pieces else [piece]
                length += len(gap) if begins else 0
                begins.append(length)
                sources.append(start)
                length, gap = length + len(piece), ""
        if not pieces:
            return Plain("", np.zeros(1, np.int64), np.zeros(1, np.int64))
        return Plain("".join(pieces), np.array(begins), np.array(sources))

    def _elements(self, rows: Numbers) -> Pieces:
        documents = self._place[self.index.elements.document(rows)]
        borders = np.searchsorted(documents, np.arange(len(self.ids) + 1))
        spans = [self._spans(d, rows[borders[d] : borders[d + 1]]) for d in range(len(self.ids))]
        start, end = np.concatenate(spans).T
        return Pieces(documents, start, end, rows)

    def _spans(self, document: int, rows: Numbers) -> Numbers:
        return self.index.spans(int(self.documents[document]), rows)

    def _with_words(self, units: Pieces) -> Pieces:
        first, end = self.word_ranges(units).T
        return _chosen(units, end > first)


def _chosen(units: Pieces, wanted: Mask) -> Pieces:
    rows = units.rows[wanted] if len(units.rows) else units.rows
    return Pieces(units.document[wanted], units.start[wanted], units.end[wanted], rows)
