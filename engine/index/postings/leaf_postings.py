"""Postings of terms in leaves, in the given documents of a segment: leaves, term frequencies, positions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Rows, places_of, ranges
from engine.columns.byte_column import ByteColumn
from engine.columns.cache import SizedCache
from engine.index.postings.article_terms import expanded
from engine.index.segment import Segment
from engine.kernels.table import compiled, native
from engine.query_limits import check_time, reserve
from engine.records import NamedTuple
from engine.text.alternative_terms import stands_for_several

_NONE = np.empty(0, np.int64)
# Numbers that each occurrence takes while it is read, or united with those of other terms.
WHILE_READ = 4


class Occurrences(NamedTuple):
    """Occurrences of a term in the given documents: rows and term frequencies of its leaves, ascending.

    n_leaves: number of these leaves in each requested document, shape (n_documents,).
    positions: of each occurrence, leaf by leaf, its position among the words of the leaf's own text.
    """

    rows: Rows
    tf: NDArray[np.int64]
    n_leaves: NDArray[np.int64]
    positions: NDArray[np.int64] | None = None


class _TermDocuments(NamedTuple):
    """The documents that contain a term, ascending, and the index of its first leaf posting in each, then their end."""

    number: int  # of the term; -1 if no document contains it
    documents: NDArray[Any]
    borders: Rows


class SegmentOccurrences:
    """Leaf postings of one segment; documents and rows are numbered within the segment.

    Args:
        capacity: of the cache, in numbers.
    """

    def __init__(self, segment: Segment, capacity: int) -> None:
        self._segment = segment
        self._documents: SizedCache[str, _TermDocuments] = SizedCache(lambda found: len(found.borders), capacity)
        self._position_borders: SizedCache[str, Rows] = SizedCache(len, capacity)

    def of_each(self, terms: Sequence[str], documents: Rows, *, positions: bool) -> list[Occurrences]:
        """Return the occurrences in the documents (ascending) of each term, or of all terms of a word."""
        expanded_terms = [self._terms(term) for term in terms]
        each_term = [each for group in expanded_terms for each in group]
        known = [self._known(each) for each in each_term]
        read = self._read(known, documents)
        if positions:
            of_terms = self._positions(each_term, known, documents)
            read = [part._replace(positions=numbers) for part, numbers in zip(read, of_terms, strict=True)]
        if not positions and all(len(group) == 1 for group in expanded_terms):
            return list(read)
        parts = iter(read)
        found = []
        for group in expanded_terms:
            of_term = [part for part in islice(parts, len(group)) if len(part.rows)]
            found.append(self._united(of_term, documents, positions=positions))
        return found

    def _terms(self, word: str) -> list[str]:
        return expanded(word, self._segment.terms) if stands_for_several(word) else [word]

    def _known(self, term: str) -> _TermDocuments:
        return self._documents.get(term, lambda: self._documents_of(term))

    def _read_in_numpy(self, known: Sequence[_TermDocuments], documents: Rows) -> list[Occurrences]:
        begins, counts = _find(known, [each.borders for each in known], documents)
        local, tf = self._segment.leaves.take(ranges(begins.ravel(), counts.ravel()))
        rows = np.tile(self._segment.first_row.take(documents), len(known)).repeat(counts.ravel()) + local
        return _of_terms(rows, tf, counts, counts.sum(axis=1).cumsum())

    @compiled(_read_in_numpy)
    def _read(self, known: Sequence[_TermDocuments], documents: Rows) -> list[Occurrences]:
        """Return the occurrences of the terms in the documents."""
        leaves, borders = self._segment.leaves, [each.borders for each in known]
        if leaves.has_unchecked:
            leaves.check_ranges(*_find(known, borders, documents))
        found, ends, places, of_documents = native.find_leaves(
            [each.documents for each in known],
            borders,
            *leaves.packed(),
            self._segment.first_row.take(documents),
            documents,
        )
        counts = np.frombuffer(of_documents, np.int64).reshape(len(known), len(documents))
        rows, tf = np.frombuffer(found, np.int64).reshape(2, -1)
        if places:
            large, in_column = np.frombuffer(places, np.int64).reshape(2, -1)
            tf[large] = leaves.large(in_column)
        return _of_terms(rows, tf, counts, np.frombuffer(ends, np.int64))

    def _united(self, parts: Sequence[Occurrences], documents: Rows, *, positions: bool) -> Occurrences:
        """Return the occurrences of several terms, which share no word, as those of one."""
        if not parts:
            return Occurrences(_NONE, _NONE, np.zeros(len(documents), np.int64), _NONE if positions else None)
        if len(parts) == 1:
            return parts[0]
        needed = WHILE_READ * sum(
            len(part.rows) + (part.positions is not None and len(part.positions)) for part in parts
        )
        reserve(needed)
        rows, tf = np.concatenate([part.rows for part in parts]), np.concatenate([part.tf for part in parts])
        order = rows.argsort(kind="stable")  # merges sorted runs
        rows, tf = rows.take(order), tf.take(order)
        is_first = np.ones(len(rows), np.bool_)
        np.not_equal(rows[1:], rows[:-1], out=is_first[1:])
        first = places_of(is_first)
        united = rows.take(first)
        borders = self._segment.first_row
        n_leaves = united.searchsorted(borders.take(documents + 1)) - united.searchsorted(borders.take(documents))
        found = Occurrences(united, np.add.reduceat(tf, first), n_leaves)
        if not positions:
            reserve(-needed)
            return found
        check_time()
        places = np.concatenate([(p.rows.repeat(p.tf) << 32) | p.positions for p in parts if p.positions is not None])
        places.sort(kind="stable")
        reserve(-needed)
        return found._replace(positions=places & 0xFFFFFFFF)

    def _documents_of(self, term: str) -> _TermDocuments:
        terms, elements = self._segment.terms, self._segment.elements
        number = terms.term_number(term.encode())
        documents = terms.postings(number).documents if number >= 0 else np.empty(0, np.int64)
        if not len(documents):  # all occurrences are in ignored elements
            return _TermDocuments(-1, documents, np.zeros(1, np.int64))
        first, _ = terms.posting_range(number)
        n_leaves = ByteColumn(elements, "n_leaves").slice(first, first + len(documents))
        borders = np.zeros(len(documents) + 1, np.int64)
        np.cumsum(n_leaves, out=borders[1:])
        borders += self._segment.leaves_of_term.neighbours(number)[0]
        return _TermDocuments(number, documents, borders)

    def _positions(self, terms: Sequence[str], known: Sequence[_TermDocuments], documents: Rows) -> list[Rows]:
        """Return the positions of each term in the documents (ascending)."""
        borders = [
            self._borders_of_positions(term) if found.number >= 0 else found.borders
            for term, found in zip(terms, known, strict=True)
        ]
        begins, counts = _find(known, borders, documents)
        ends = counts.sum(axis=1).cumsum().tolist()
        needed = WHILE_READ * (ends[-1] if ends else 0)
        reserve(needed)
        where = ranges(begins.ravel(), counts.ravel())
        positions = ByteColumn(self._segment.elements, "position").take(where).astype(np.int64)
        reserve(-needed)  # who keeps them counts them
        return [positions[first:end] for first, end in zip([0, *ends], ends, strict=False)]

    def _borders_of_positions(self, term: str) -> Rows:
        """Return the index of the first position of a term in each of its documents, then their end."""
        return self._position_borders.get(term, lambda: self._read_borders_of_positions(term))

    def _read_borders_of_positions(self, term: str) -> Rows:
        number = self._known(term).number
        tf = self._segment.terms.postings(number).tf
        borders = np.zeros(len(tf) + 1, np.int64)
        np.cumsum(tf, out=borders[1:])
        borders += self._segment.terms.position_range(number)[0]
        return borders


def _of_terms(rows: Rows, tf: Rows, counts: Rows, ends: Rows) -> list[Occurrences]:
    """Return the occurrences of each term, given those of all, and where the ones of each end."""
    borders = [0, *ends.tolist()]
    return [
        Occurrences(rows[first:end], tf[first:end], of_term)
        for of_term, (first, end) in zip(counts, pairwise(borders), strict=True)
    ]


def _find_in_numpy(known: Sequence[_TermDocuments], borders: Sequence[Rows], documents: Rows) -> tuple[Rows, Rows]:
    shape = len(known), len(documents)
    begins, counts = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for number, (term, of_term) in enumerate(zip(known, borders, strict=True)):
        if term.number >= 0:
            place = term.documents.searchsorted(documents.astype(term.documents.dtype))  # else all are converted
            holders = places_of(term.documents.take(place, mode="clip") == documents)
            place = place.take(holders)
            begins[number, holders] = of_term.take(place)
            counts[number, holders] = of_term.take(place + 1) - of_term.take(place)
    return begins, counts


@compiled(_find_in_numpy)
def _find(known: Sequence[_TermDocuments], borders: Sequence[Rows], documents: Rows) -> tuple[Rows, Rows]:
    """Return where the entries of each term in each document begin, and how many, shape (n_terms, n_documents).

    Args:
        borders: of each term, the first entry in each of its documents, then their end. documents: ascending.
    """
    found = native.find_documents([each.documents for each in known], list(borders), documents, True)
    begins, counts = np.frombuffer(found, np.int64).reshape(2, len(known), len(documents))
    return begins, counts
