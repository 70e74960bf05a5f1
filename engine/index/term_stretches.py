"""How often terms occur in each stretch of a text: what the bounds of scores read in place of leaves.

A text is cut into stretches of 2^bits words; the words of a leaf count where it begins. A text has one stretch more,
which is empty. Terms are counted in the documents that are asked for, and the counts are cached: so the leaves of a
document are read for a term once, as long as its counts are cached.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.arrays import places_of, ranges
from engine.index.cache import SizedCache, capacity_for
from engine.index.element_store import Elements
from engine.query.limits import check_time, reserve
from engine.records import NamedTuple

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


class StretchCounts(NamedTuple):
    """The stretches of some documents among those of all documents.

    tf: of each term, its frequency in each stretch of the index, as in `Stretches`. begins: the first stretch of each
    of the documents. n, n_leaves, in_headings: as in `Stretches`.
    """

    tf: list[NDArray[np.uint8]]
    begins: Rows
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
        headings: tags of headings. capacity: numbers of eight bytes; None for one that suits the number of documents.
    """

    def __init__(self, elements: Elements, headings: Collection[str], capacity: int | None = None) -> None:
        if capacity is None:
            capacity = capacity_for(int(elements.document_base[-1]))
        self._elements, self._headings = elements, headings
        self._borders: dict[int, Rows] = {}
        self._counts: SizedCache[tuple[str, int], _Counts] = SizedCache(lambda counts: counts.size, capacity)

    def of_each(self, terms: Sequence[str], documents: Rows, bits: int) -> Stretches:
        """Return the stretches of 2^bits words of some documents (ascending)."""
        counts = self.counts_of_each(terms, documents, bits)
        stretches = ranges(counts.begins, counts.n)
        tf = np.array([of_term.take(stretches) for of_term in counts.tf], np.uint16)
        return Stretches(tf.reshape(len(terms), len(stretches)), counts.n, counts.n_leaves, counts.in_headings)

    def counts_of_each(self, terms: Sequence[str], documents: Rows, bits: int) -> StretchCounts:
        """Return the stretches of 2^bits words of some documents (ascending), the cached frequencies not copied."""
        borders = self._borders_of(bits)
        begins = borders.take(documents)
        n = borders.take(documents + 1) - begins
        reserve(len(terms) * (int(n.sum()) + 2 * len(documents)))
        found = self._counted(terms, documents, bits)
        return StretchCounts(
            tf=[each.tf for each in found],
            begins=begins,
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

    def _counted(self, terms: Sequence[str], documents: Rows, bits: int) -> list[_Counts]:
        """Return the counts of each term, counted in some documents."""
        borders = self._borders_of(bits)
        counts = [
            self._counts.get((term, bits), lambda: _nothing(int(borders[-1]), len(borders) - 1)) for term in terms
        ]
        is_missing = [~each.is_counted.take(documents) for each in counts]
        missing = [number for number, of_term in enumerate(is_missing) if of_term.any()]
        if missing:
            anywhere = np.logical_or.reduce([is_missing[number] for number in missing])
            some = [terms[number] for number in missing], [counts[number] for number in missing]
            self._count(*some, documents.compress(anywhere), bits)
        return counts

    def _count(self, terms: Sequence[str], counts: Sequence[_Counts], documents: Rows, bits: int) -> None:
        """Count terms in some documents."""
        check_time()
        elements = self._elements
        found = elements.occurrences_of_each(terms, documents)
        n_leaves = np.array([each.n_leaves for each in found])
        n_of_terms = n_leaves.sum(axis=1)
        reserve(7 * int(n_of_terms.sum()))
        rows, tf = np.concatenate([each.rows for each in found]), np.concatenate([each.tf for each in found])
        place = np.tile(np.arange(len(documents)), len(terms)).repeat(n_leaves.ravel())
        words = elements.first_word(rows) - elements.first_word(elements.root(documents)).take(place)
        stretch = self._borders_of(bits).take(documents).take(place) + (words >> bits)
        ends = n_of_terms.cumsum()
        is_first = np.empty(len(rows), np.bool_)
        np.not_equal(stretch[1:], stretch[:-1], out=is_first[1:])
        is_first[(ends - n_of_terms).compress(n_of_terms > 0)] = True
        first = places_of(is_first)
        sums = np.minimum(np.add.reduceat(tf, first), HIGHEST_FREQUENCY) if len(first) else tf
        stretches, firsts = stretch.take(first), first.searchsorted(np.append(0, ends)).tolist()
        in_headings = places_of(elements.tags_in(self._headings).take(elements.tag(rows)))
        headings, of_headings = documents.take(place.take(in_headings)), in_headings.searchsorted(np.append(0, ends))
        for number, each in enumerate(counts):
            of_term = slice(firsts[number], firsts[number + 1])
            each.tf[stretches[of_term]] = sums[of_term]
            each.in_headings[headings[of_headings[number] : of_headings[number + 1]]] = True
            each.n_leaves[documents] = n_leaves[number]
            each.is_counted[documents] = True  # last: another thread may read these counts


def _nothing(n_stretches: int, n_documents: int) -> _Counts:
    n_leaves = np.zeros(n_documents, np.int32)
    return _Counts(np.zeros(n_stretches, np.uint8), n_leaves, *(np.zeros(n_documents, np.bool_) for _ in range(2)))
