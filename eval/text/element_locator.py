"""The interface through which evaluation uses an index: places of elements in the text of their documents.

An :class:`ElementLocator` supplies the sizes and offsets that judgements and runs lack; an index of the collection
implements it. All positions are characters (Unicode code points) of the document's text: the concatenated text nodes
of its root element, white space preserved. Spans are half-open, ``text[start:end]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from engine.errors import MeasureError
from engine.notices import Notice
from eval.numbers import IntArray


class DocumentElements(Protocol):
    """All elements of one document in document order, column by column."""

    @property
    def paths(self) -> Sequence[str]:
        """Paths in document order."""

    @property
    def starts(self) -> IntArray:
        """First characters."""

    @property
    def ends(self) -> IntArray:
        """One past the last characters."""


class ElementLocator(Protocol):
    """Converts element paths and pointers into character offsets."""

    def length(self, document: str) -> int | None:
        """Return the characters of the document's text, None for an unknown document."""

    def spans(self, document: str, paths: Sequence[str]) -> IntArray:
        """Return start and end of each path, int64, shape (n, 2); -1 and -1 where there is no such element."""

    def elements(self, document: str) -> DocumentElements | None:
        """Return every element of the document in document order, None for an unknown document."""

    def offset(self, document: str, pointer: str) -> int | None:
        """Return the character a pointer such as ``/article[1]/p[2]/text()[1].12`` points at.

        ``text()[k]`` is the k-th text node directly in the element, as XPath counts; offsets start at 0. None where
        the document, the element or the text node does not exist.
        """


class NoLocatorError(MeasureError):
    """Sizes or offsets are needed that only an index gives."""


def require(locator: ElementLocator | None, lacking: str) -> ElementLocator:
    """Return the locator; raise MeasureError with what is missing if there is none."""
    if locator is None:
        raise NoLocatorError(Notice("needs_index", {"lacking": lacking}))
    return locator
