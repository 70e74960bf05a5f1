"""The frequencies of terms in stretches of text, which bounds of scores read in place of those in leaves.

A text is cut into stretches of 2^bits words; the words of a leaf count where it begins. A text has one stretch more,
which is empty. Terms are counted in the documents that are asked for, and the counts are cached: so the leaves of a
document are read for a term once, as long as its counts are cached. Stretches of documents without a term are not
stored, so that the terms of many queries fit into the cache.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask, Rows, places_of, ranges
from engine.columns.cache import SizedCache, capacity_for
from engine.index.elements.element_store import Elements
from engine.index.elements.header_rows import HeaderRowStore
from engine.query_limits import check_time, reserve
from engine.records import NamedTuple

# Frequencies in a stretch are stored as bytes: higher ones are stored as this one.
HIGHEST_FREQUENCY = 255
# In place of where the stretches of a document begin: its leaves have not been read for the term.
NOT_COUNTED = -1


class Stretches(NamedTuple):
    """The stretches of documents, one document after the other.

    tf: of each term in each stretch, HIGHEST_FREQUENCY for any frequency from there on, shape (n_terms, n_stretches).
    n: stretches of each document, the empty one included. n_leaves: leaves of each document that contain each term,
    shape (n_terms, n_documents); in_headings: whether some of them can be, or be in, headings.
    """

    tf: NDArray[np.uint16]
    n: Rows
    n_leaves: Rows
    in_headings: Mask


class StretchCounts(NamedTuple):
    """The stretches of documents with an array of counts for each term, which covers other documents, too.

    tf: of each term, frequencies in stretches of documents that contain it. begins: the first stretch there of each
    document, of any value for a document without the term, shape (n_terms, n_documents). n, n_leaves, in_headings: as
    in `Stretches`.
    """

    tf: list[NDArray[np.uint8]]
    begins: Rows
    n: Rows
    n_leaves: Rows
    in_headings: Mask


class _Counts(NamedTuple):
    """A term in all documents.

    tf: frequencies by stretch, of counted documents that contain the term. begins: the first stretch of each document,
    NOT_COUNTED of others. n_leaves, in_headings: as in `Stretches`.
    """

    tf: NDArray[np.uint8]
    begins: NDArray[np.int32]
    n_leaves: NDArray[np.int32]
    in_headings: Mask

    @property
    def size(self) -> int:
        """Numbers of eight bytes."""
        return sum(column.nbytes for column in self) // 8

    def with_documents(
        self, documents: Rows, tf: NDArray[np.uint8], n: Rows, n_leaves: Rows, is_in_heading: Mask
    ) -> _Counts:
        """Return these counts with those of more documents.

        Args:
            tf: by stretch, one document after the other; n: stretches of each document, 0 without the term.
        """
        begins, leaves, in_headings = self.begins.copy(), self.n_leaves.copy(), self.in_headings.copy()
        begins[documents] = len(self.tf) + n.cumsum() - n
        leaves[documents] = n_leaves
        in_headings[documents] = is_in_heading
        return _Counts(np.concatenate([self.tf, tf]), begins, leaves, in_headings)


class TermStretches:
    """A cache of the counts of terms, least recently used ones dropped first.

    Args:
        headings: tags of headings; header_rows: headings of tables.
        capacity: numbers of eight bytes; None for one that suits the number of documents.
    """

    def __init__(
        self, elements: Elements, headings: Collection[str], header_rows: HeaderRowStore, capacity: int | None = None
    ) -> None:
        if capacity is None:
            capacity = capacity_for(int(elements.document_base[-1]))
        self._elements, self._headings, self._header_rows = elements, headings, header_rows
        self._n: dict[int, Rows] = {}  # stretches of each document of the index, by the bits of their lengths
        self._counts: SizedCache[tuple[str, int], _Counts] = SizedCache(lambda counts: counts.size, capacity)

    def of_each(self, terms: Sequence[str], documents: Rows, bits: int) -> Stretches:
        """Return the stretches of 2^bits words in the documents (ascending)."""
        counts = self.counts_of_each(terms, documents, bits)
        tf = np.zeros((len(terms), int(counts.n.sum())), np.uint16)
        for row, of_term, begins, n_leaves in zip(tf, counts.tf, counts.begins, counts.n_leaves, strict=True):
            contain = n_leaves > 0
            row[contain.repeat(counts.n)] = of_term.take(ranges(begins.compress(contain), counts.n.compress(contain)))
        return Stretches(tf, counts.n, counts.n_leaves, counts.in_headings)

    def counts_of_each(self, terms: Sequence[str], documents: Rows, bits: int) -> StretchCounts:
        """Return the stretches of 2^bits words in the documents (ascending); the cached frequencies are not copied."""
        n = self._n_stretches(documents, bits)
        reserve(len(terms) * (int(n.sum()) + 3 * len(documents)))
        counts, begins = self._counted(terms, documents, bits)
        return StretchCounts(
            tf=[each.tf for each in counts],
            begins=begins,
            n=n,
            n_leaves=_of_documents([each.n_leaves for each in counts], documents, np.int64),
            in_headings=_of_documents([each.in_headings for each in counts], documents, np.bool_),
        )

    def _n_stretches(self, documents: Rows, bits: int) -> Rows:
        if bits not in self._n:
            roots = self._elements.root(np.arange(self._elements.document_base[-1]))
            self._n[bits] = (self._elements.n_words(roots) >> bits) + 2
        return self._n[bits].take(documents)

    def _counted(self, terms: Sequence[str], documents: Rows, bits: int) -> tuple[list[_Counts], Rows]:
        """Return the counts of each term in the documents, and the first stretch of each document."""
        counts = [self._counts.get((term, bits), self._nothing) for term in terms]
        begins = _of_documents([each.begins for each in counts], documents, np.int64)
        is_missing = begins == NOT_COUNTED
        missing = places_of(is_missing.any(axis=1)).tolist()
        if missing:
            anywhere = documents.compress(is_missing.any(axis=0))
            some = [terms[number] for number in missing], [counts[number] for number in missing]
            for number, counted in zip(missing, self._count(*some, anywhere, bits), strict=True):
                self._counts.replace((terms[number], bits), counted)
                counts[number], begins[number] = counted, counted.begins.take(documents)
        return counts, begins

    def _nothing(self) -> _Counts:
        n = int(self._elements.document_base[-1])
        return _Counts(
            np.empty(0, np.uint8), np.full(n, NOT_COUNTED, np.int32), np.zeros(n, np.int32), np.zeros(n, np.bool_)
        )

    def _count(self, terms: Sequence[str], counts: Sequence[_Counts], documents: Rows, bits: int) -> Iterator[_Counts]:
        """Yield the counts of each term, extended by documents of which a term's counts were missing."""
        check_time()
        elements = self._elements
        found = elements.occurrences_of_each(terms, documents)
        n_leaves = np.array([each.n_leaves for each in found])
        n_of_pairs = n_leaves.ravel()  # a pair is a term and a document
        reserve(7 * int(n_of_pairs.sum()))
        n = np.where(n_leaves > 0, self._n_stretches(documents, bits), 0)
        begins = (n.ravel().cumsum() - n.ravel()).reshape(n.shape)
        rows, tf = np.concatenate([each.rows for each in found]), np.concatenate([each.tf for each in found])
        first_words = np.tile(elements.first_word(elements.root(documents)), len(terms)).repeat(n_of_pairs)
        stretch = begins.ravel().repeat(n_of_pairs) + ((elements.first_word(rows) - first_words) >> bits)
        frequencies = np.zeros(int(n.sum()), np.uint8)
        if len(rows):
            first = places_of(np.append(True, stretch[1:] != stretch[:-1]))
            frequencies[stretch.take(first)] = np.minimum(np.add.reduceat(tf, first), HIGHEST_FREQUENCY)
        in_headings = elements.tags_in(self._headings, documents).take(elements.tag(rows))
        in_headings = in_headings | self._header_rows.of(documents).include(rows)
        pairs = np.arange(n_leaves.size).repeat(n_of_pairs).compress(in_headings)
        is_in_heading = np.zeros(n_leaves.shape, np.bool_)
        is_in_heading.ravel()[pairs] = True
        for number, each in enumerate(counts):
            new = places_of(each.begins.take(documents) == NOT_COUNTED)
            n_new = n[number].take(new)
            of_term = frequencies.take(ranges(begins[number].take(new), n_new))
            yield each.with_documents(
                documents.take(new), of_term, n_new, n_leaves[number].take(new), is_in_heading[number].take(new)
            )


def _of_documents(columns: Sequence[NDArray[Any]], documents: Rows, dtype: type[np.generic]) -> NDArray[Any]:
    """Return the numbers of documents, shape (n_columns, n_documents)."""
    return np.array([column.take(documents) for column in columns], dtype).reshape(-1, len(documents))
