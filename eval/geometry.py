"""What an index gives when judgements or runs lack it: lengths, spans, elements, offsets.

Measures ask a :class:`Geometry`; an open index fulfils it, and so can anything else that knows the documents. All
positions are characters (Unicode code points) of the document's text: the concatenated text nodes of its root, white
space as it stands. Spans are half-open, ``text[start:end]``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.errors import MeasureError

IntArray: TypeAlias = npt.NDArray[np.int64]
FloatArray: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Elements:
    """All elements of one document in document order: row i is ``paths[i]``, spanning ``starts[i]`` to ``ends[i]``."""

    paths: Sequence[str]
    starts: IntArray
    ends: IntArray


class ElementColumns(Protocol):
    """What a geometry gives of one document's elements; ``Elements`` is one."""

    @property
    def paths(self) -> Sequence[str]:
        """Paths in document order."""

    @property
    def starts(self) -> IntArray:
        """First characters."""

    @property
    def ends(self) -> IntArray:
        """One past the last characters."""


class Geometry(Protocol):
    """Where the elements of documents lie."""

    def length(self, document: str) -> int | None:
        """Return the characters of the document's text, None for an unknown document."""

    def spans(self, document: str, paths: Sequence[str]) -> IntArray:
        """Return start and end of each path, int64, shape (n, 2); -1 and -1 where there is no such element."""

    def elements(self, document: str) -> ElementColumns | None:
        """Return every element of the document in document order, None for an unknown document."""

    def offset(self, document: str, pointer: str) -> int | None:
        """Return the character a pointer such as ``/article[1]/p[2]/text()[1].12`` points at.

        ``text()[k]`` is the k-th text node directly in the element, as XPath counts; offsets start at 0. None where
        the document, the element or the text node does not exist.
        """


def require(geometry: Geometry | None, lacking: str) -> Geometry:
    """Return the geometry, or raise MeasureError saying what only an index can give."""
    if geometry is None:
        raise MeasureError(f"{lacking}: needs --index, the index of the judged collection.")
    return geometry
