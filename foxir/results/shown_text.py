"""A part of a document as `foxir show` prints it: an element, or a stretch of text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.errors import QueryError
from engine.index.elements.element_lookup import number_of, row_of, smallest_element, stretch_of
from engine.index.reader import IndexReader
from engine.presentation.readable_text import readable_parts
from foxir.results.elements import Element


@dataclass(frozen=True)
class ShownText:
    """What is shown: some characters of a document, and the smallest element that contains them."""

    index: IndexReader
    number: int
    row: int
    start: int
    end: int

    @property
    def element(self) -> Element:
        """The element."""
        return Element(self.index, self.row)

    @property
    def is_element(self) -> bool:
        """Whether it is the whole element."""
        return (self.start, self.end) == (self.element.start, self.element.end)

    def texts(self, context: int) -> tuple[str, str, str]:
        """Return the text with its context, in characters before and after it."""
        text = self.index.text(self.number)
        before = text[max(0, self.start - context) : self.start]
        return before, text[self.start : self.end], text[self.end : self.end + context]

    def readable_texts(self, context: int) -> tuple[str, str, str]:
        """Return what `texts` returns, for readers: in lines, with one line for each row of a table."""
        root = int(self.index.elements.root(np.array([self.number]))[0])
        length = int(self.index.spans(self.number, np.array([root]))[0, 1])
        edges = max(0, self.start - context), self.start, self.end, min(length, self.end + context)
        before, text, after = readable_parts(self.index, self.number, root if context else self.row, edges)
        return before, text, after

    def to_dict(self, context: int) -> dict[str, Any]:
        """Return what `--json` prints; `words` is None of a stretch inside an element."""
        element = self.element
        before, text, after = self.texts(context)
        return {
            "document": element.document,
            "path": element.path,
            "profile": self.index.profile_of(self.number).name,
            "start": self.start,
            "end": self.end,
            "words": element.words if self.is_element else None,
            "breadcrumb": element.breadcrumb,
            "before": before,
            "text": text,
            "after": after,
        }


def find_text(index: IndexReader, document: str, place: str | None) -> ShownText:
    """Return what a place names; the root without one.

    Raises: QueryError for a document or a place that is not in the index.
    """
    number = number_of(index, document)
    stretch = stretch_of(index, number, place or "")
    if stretch is not None:
        return ShownText(index, number, smallest_element(index, number, *stretch), *stretch)
    row = int(index.elements.root(np.array([number]))[0]) if place is None else _row(index, document, place)
    return ShownText(index, number, row, *index.spans(number, np.array([row]))[0].tolist())


def _row(index: IndexReader, document: str, place: str) -> int:
    """Return the row of the element at a path or with an id; raises QueryError."""
    try:
        return row_of(index, document, place)
    except QueryError as error:
        if place.startswith("/"):
            raise
        raise QueryError(f"{error} OFFSET:LENGTH, such as 5456:27, is a stretch of text.") from None
