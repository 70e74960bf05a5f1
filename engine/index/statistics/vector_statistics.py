"""Statistics that need all terms of each unit: distinct terms, largest term frequencies, and pairs for vector norms.

An index stores none of this for elements, so it is counted from all postings: exactly, and once per open index. Only
some components of similarities need it: vector norms other than those of documents with weights 1 + ln f, counts of
distinct terms, largest frequencies, and sums over the vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import FloatArray, Mask, Rows
from engine.columns.byte_column import ByteColumn
from engine.columns.cache import SizedCache
from engine.index.elements.containment import lowest_common_ancestors
from engine.index.elements.element_store import Elements
from engine.index.segment import Segment
from engine.index.statistics.unit_statistics import Unit, UnitStatistics
from engine.records import dataclass
from engine.threads import cached_property

# leaf postings that are processed at a time
SLICE = 500_000

# columns of vector norms that are cached for different weights and parameters
MOST_COLUMNS = 16


@dataclass(frozen=True)
class TermPairs:
    """Pairs of a term and a unit that contains it, by term, then by row; all int64.

    term: number of the term; row: row of the unit; tf: frequency of the term in the unit.
    """

    term: Rows
    row: Rows
    tf: Rows

    def n_t(self, n_terms: int) -> Rows:
        """Return the number of units that contain each term, shape (n_terms,)."""
        return np.bincount(self.term, minlength=n_terms)

    def between(self, first: int, last: int) -> TermPairs:
        """Return the pairs of the terms from first to last (exclusive), renumbered from 0."""
        begin, stop = np.searchsorted(self.term, [first, last])
        return TermPairs(self.term[begin:stop] - first, self.row[begin:stop], self.tf[begin:stop])


class VectorStatistics:
    """Counts over all terms of each unit, by row; 0 at rows of other elements."""

    def __init__(self, segments: Sequence[Segment], elements: Elements, units: UnitStatistics) -> None:
        self._segments, self._elements, self.units = segments, elements, units
        self._columns: SizedCache[Hashable, FloatArray] = SizedCache(lambda _column: 1, MOST_COLUMNS)

    def column(self, key: Hashable, compute: Callable[[], FloatArray]) -> FloatArray:
        """Return a column of values by row, computed if it is not cached under the key."""
        return self._columns.get(key, compute)

    def distinct(self, unit: Unit) -> FloatArray:
        """Return the number of distinct terms of each unit."""
        return self.column(("distinct", unit), lambda: self._count_distinct(unit))

    def _count_distinct(self, unit: Unit) -> FloatArray:
        pairs = self._document_pairs if unit == "document" else self._leaf_pairs
        counts = np.bincount(pairs.row, minlength=self.units.n_rows)
        return (counts if unit != "element" else self._distinct_below(counts)).astype(np.float64)

    def _distinct_below(self, n_terms: Rows) -> Rows:
        """Return the number of distinct terms in the subtree of each element.

        It is the number of pairs of a term and a leaf below, less the pairs that repeat a term: of the leaves that
        contain a term, each but the first repeats it in the elements that contain both it and the leaf before, that is
        in their lowest common ancestor and above.
        Source: Hui, Color set size problem, CPM 1992.

        Args:
            n_terms: number of distinct terms in the own text of each row.
        """
        units, leaves = self.units, self._leaf_pairs
        for begin in range(0, len(leaves.row) - 1, SLICE):
            term, row = (each[begin : begin + SLICE + 1] for each in (leaves.term, leaves.row))
            document = units.documents[row]
            pairs = np.flatnonzero((term[1:] == term[:-1]) & (document[1:] == document[:-1]))
            common = lowest_common_ancestors(self._elements, row[pairs], row[pairs + 1])
            n_terms = n_terms - np.bincount(common, minlength=units.n_rows)
        before = np.concatenate([[0], np.cumsum(n_terms)])
        rows = np.flatnonzero(units.is_element)
        distinct = np.zeros(units.n_rows, np.int64)
        distinct[rows] = before[self._elements.end(rows)] - before[rows]
        return distinct

    def mean_distinct(self, unit: Unit) -> float:
        """Return the mean number of distinct terms of the units."""
        return float(self.distinct(unit).sum() / self.units.n(unit))

    def largest(self, unit: Unit) -> FloatArray:
        """Return the largest frequency of any term in each unit."""
        return self.column(("largest", unit), lambda: self._find_largest(unit))

    def _find_largest(self, unit: Unit) -> FloatArray:
        largest = np.zeros(self.units.n_rows)
        for piece in self.slices(unit):
            pairs = piece.pairs(unit)
            np.maximum.at(largest, pairs.row, pairs.tf.astype(np.float64))
        return largest

    def n_pairs(self, unit: Unit) -> float:
        """Return the number of pairs of a term and a unit that contains it: the sum of N_t over all terms."""
        if unit == "element":
            return float(self.distinct("element").sum())
        return float(len((self._document_pairs if unit == "document" else self._leaf_pairs).term))

    def slices(self, unit: Unit) -> Iterator[VocabularySlice]:
        """Yield the vocabulary in slices of at most about SLICE pairs of documents or leaves."""
        pairs = self._document_pairs if unit == "document" else self._leaf_pairs
        n_terms = self._term_numbers[0]
        last = np.cumsum(pairs.n_t(n_terms))
        borders = np.searchsorted(last, np.arange(SLICE, len(pairs.term), SLICE)) + 1
        for begin, end in pairwise(np.unique(np.concatenate([[0], borders, [n_terms]])).tolist()):
            yield VocabularySlice(
                self.units, end - begin, self._document_pairs.between(begin, end), self._leaf_pairs.between(begin, end)
            )

    @cached_property
    def _term_numbers(self) -> tuple[int, list[Rows]]:
        """The number of distinct terms, and for each segment the numbers of its terms among those of all segments."""
        segments = self._segments
        if len(segments) == 1:
            n_terms = segments[0].n_terms
            return n_terms, [np.arange(n_terms)]
        vocabularies = [segment.articles.strings("terms").all() for segment in segments]
        numbers = {term: number for number, term in enumerate(sorted(set().union(*vocabularies)))}
        return len(numbers), [np.array([numbers[term] for term in each], np.int64) for each in vocabularies]

    @cached_property
    def _document_pairs(self) -> TermPairs:
        """Pairs of terms and documents; rows are those of the roots."""
        found = []
        for number, segment, document, live in self._postings():
            term = number[_term_of(segment.terms.posting_ranges())]
            tf = ByteColumn(segment.articles, "tf").all().astype(np.int64)
            found.append(np.stack([term[live], document[live], tf[live]]))
        return _by_term(found)

    @cached_property
    def _leaf_pairs(self) -> TermPairs:
        """Pairs of terms and leaves."""
        found = []
        for number, segment, document, live in self._postings():
            n_leaves = ByteColumn(segment.elements, "n_leaves").all()
            leaf, tf = segment.leaves.all()
            row = np.repeat(document, n_leaves) + leaf
            term = number[_term_of(segment.leaves_of_term.all())]
            lives = np.repeat(live, n_leaves)
            found.append(np.stack([term[lives], row[lives], tf[lives]]))
        return _by_term(found)

    def _postings(self) -> Iterator[tuple[Rows, Segment, Rows, Mask]]:
        """Yield for each segment its term numbers, itself, and the row of the root and the liveness of each posting."""
        elements = self._elements
        bases = zip(elements.document_base.tolist(), elements.row_base.tolist(), strict=True)
        for number, segment, (document_base, row_base) in zip(
            self._term_numbers[1], self._segments, bases, strict=False
        ):
            document = segment.articles.column("document").all().astype(np.int64)
            yield number, segment, segment.first_row[document] + row_base, self.units.is_live(document + document_base)


def _term_of(pointers: NDArray[Any]) -> Rows:
    """Return the term of each posting, from the first posting of each term and the number of postings."""
    ends = pointers.astype(np.int64)
    return np.repeat(np.arange(len(ends) - 1), ends[1:] - ends[:-1])


def _by_term(columns: list[NDArray[np.int64]]) -> TermPairs:
    joined = np.concatenate([np.empty((3, 0), np.int64), *columns], axis=1)
    if len(columns) > 1:
        joined = joined[:, np.lexsort((joined[1], joined[0]))]
    return TermPairs(*joined)


class VocabularySlice:
    """A slice of the vocabulary with all units that contain its terms, which are numbered from 0."""

    def __init__(self, units: UnitStatistics, n_terms: int, documents: TermPairs, leaves: TermPairs) -> None:
        self._units, self.n_terms = units, n_terms
        self._documents, self._leaves = documents, leaves

    def pairs(self, unit: Unit) -> TermPairs:
        """Return the pairs of the terms and the units that contain them."""
        if unit == "element":
            return self._elements
        return self._documents if unit == "document" else self._leaves

    @cached_property
    def _elements(self) -> TermPairs:
        return element_pairs(self._units, self._leaves)

    @cached_property
    def collection_frequencies(self) -> FloatArray:
        """Number of occurrences of each term in the collection, shape (n_terms,)."""
        return np.bincount(self._documents.term, self._documents.tf, self.n_terms).astype(np.float64)


def element_pairs(units: UnitStatistics, leaves: TermPairs) -> TermPairs:
    """Return the pairs of terms and elements whose subtree contains them, from those of terms and leaves."""
    n_rows = units.n_rows
    term, row, tf = leaves.term, leaves.row, leaves.tf
    keys, counts = [], []
    while row.size:
        chosen = np.flatnonzero(units.is_element[row])
        keys.append(term[chosen] * n_rows + row[chosen])
        counts.append(tf[chosen])
        above = units.parents[row]
        has_parent = above != row
        term, row, tf = term[has_parent], above[has_parent], tf[has_parent]
    joined = np.concatenate([np.empty(0, np.int64), *keys])
    found, place = np.unique(joined, return_inverse=True)
    total = np.bincount(place, np.concatenate([np.empty(0, np.int64), *counts]), len(found)).astype(np.int64)
    return TermPairs(found // n_rows, found % n_rows, total)
