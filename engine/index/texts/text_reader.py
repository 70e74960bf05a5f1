"""The texts of the documents of an open index, across its segments, and where elements lie in them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from engine.arrays import Numbers, distinct
from engine.index.elements.element_store import Elements
from engine.index.segment import Segment
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
