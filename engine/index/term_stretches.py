"""How often terms occur in each stretch of a text: what the bounds of scores read in place of leaves.

A text is cut into stretches of 2^bits words; the words of a leaf count where it begins. A text has one stretch more,
which is empty. Terms are counted in the documents that are asked for, and the counts are cached: so the leaves of a
document are read for a term once, as long as its counts are cached.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import places_of, ranges
from engine.index.cache import CAPACITY, SizedCache
from engine.index.element_store import Elements
from engine.query.limits import check_time, reserve

Rows = NDArray[np.int64]

# Frequencies in a stretch are stored as bytes: higher ones are stored as this one.
HIGHEST_FREQUENCY = 255


class Stretches(NamedTuple):
    """The stretches of some documents, one document after the other.

    tf: of each term in each stretch, HIGHEST_FREQUENCY for any frequency from there on, shape (n_terms, n_stretches).
    n: stretches of each document, the empty one included. n_leaves: leaves of each document that contain each term,
    shape (n_terms, n_documents); in_headings: whether some of them can be, or be in, headings.
    """

    tf: NDArray[np.uint16]
    n: Rows
    n_leaves: Rows
    in_headings: NDArray[np.bool_]


class _Counts(NamedTuple):
    """A term in all documents: frequencies by stretch, leaves and headings by document; where they are counted."""

    tf: NDArray[np.uint8]
    n_leaves: NDArray[np.int32]
    in_headings: NDArray[np.bool_]
    is_counted: NDArray[np.bool_]

    @property
    def size(self) -> int:
        """Numbers of eight bytes."""
        return sum(column.nbytes for column in self) // 8


class TermStretches:
    """A cache of the counts of terms, least recently used ones dropped first.

    Args:
        headings: tags of headings.
    """

    def __init__(self, elements: Elements, headings: Collection[str], capacity: int = CAPACITY) -> None:
        self._elements, self._headings = elements, headings
        self._borders: dict[int, Rows] = {}
        self._counts: SizedCache[tuple[str, int], _Counts] = SizedCache(lambda counts: counts.size, capacity)

    def of_each(self, terms: Sequence[str], documents: Rows, bits: int) -> Stretches:
        """Return the stretches of 2^bits words of some documents (ascending)."""
        borders = self._borders_of(bits)
        begins = borders.take(documents)
        n = borders.take(documents + 1) - begins
        stretches = ranges(begins, n)
        reserve(len(terms) * (len(stretches) + 2 * len(documents)))
        found = [self._counted(term, documents, bits) for term in terms]
        return Stretches(
            tf=np.array([each.tf.take(stretches) for each in found], np.uint16).reshape(len(terms), len(stretches)),
            n=n,
            n_leaves=np.array([each.n_leaves.take(documents) for each in found], np.int64).reshape(-1, len(documents)),
            in_headings=np.array([each.in_headings.take(documents) for each in found]).reshape(-1, len(documents)),
        )

    def _borders_of(self, bits: int) -> Rows:
        """Return the first stretch of each document, then the number of stretches."""
        if bits not in self._borders:
            roots = self._elements.root(np.arange(self._elements.document_base[-1]))
            n = (self._elements.n_words(roots) >> bits) + 2
            self._borders[bits] = np.append(0, n.cumsum())
        return self._borders[bits]

    def _counted(self, term: str, documents: Rows, bits: int) -> _Counts:
        """Return the counts of a term, counted in some documents."""
        borders = self._borders_of(bits)
        counts = self._counts.get((term, bits), lambda: _nothing(int(borders[-1]), len(borders) - 1))
        missing = documents.compress(~counts.is_counted.take(documents))
        if len(missing):
            self._count(counts, term, missing, bits)
        return counts

    def _count(self, counts: _Counts, term: str, documents: Rows, bits: int) -> None:
        """Count a term in some documents."""
        check_time()
        elements = self._elements
        found = elements.occurrences(term, documents)
        reserve(6 * len(found.rows))
        document = documents.repeat(found.n_leaves)
        words = elements.first_word(found.rows) - elements.first_word(elements.root(documents)).repeat(found.n_leaves)
        stretch = self._borders_of(bits).take(document) + (words >> bits)
        first = places_of(np.diff(stretch, prepend=-1))
        if len(first):
            counts.tf[stretch.take(first)] = np.minimum(np.add.reduceat(found.tf, first), HIGHEST_FREQUENCY)
        is_heading = elements.tags_in(self._headings).take(elements.tag(found.rows))
        counts.in_headings[document.compress(is_heading)] = True
        counts.n_leaves[documents] = found.n_leaves
        counts.is_counted[documents] = True  # last: another thread may read these counts


def _nothing(n_stretches: int, n_documents: int) -> _Counts:
    n_leaves = np.zeros(n_documents, np.int32)
    return _Counts(np.zeros(n_stretches, np.uint8), n_leaves, *(np.zeros(n_documents, np.bool_) for _ in range(2)))
