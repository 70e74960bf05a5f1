"""Where terms occur in some documents of a segment: in which leaves, how often, and at which places."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.index.mostly_small import MostlySmall
from engine.index.ranges import ranges
from engine.index.recent import Recent
from engine.index.segment import Segment

Rows = NDArray[np.int64]


class Occurrences(NamedTuple):
    """Where a term occurs in some documents: one entry a leaf that holds it, ascending.

    n_leaves, one a document that was asked for: how many of these leaves it has.
    positions, one an occurrence, leaf by leaf: the place of the word among the words of the leaf's own text.
    """

    rows: Rows
    tf: NDArray[np.int64]
    n_leaves: NDArray[np.int64]
    positions: NDArray[np.int64] | None = None


class _Holding(NamedTuple):
    """The documents that hold a term, ascending, and the first of its leaf entries in each, then one past the last."""

    number: int  # of the term, -1 where no document holds it
    documents: NDArray[Any]
    borders: Rows


class TermOccurrences:
    """The occurrences of terms in one segment; documents and rows are the segment's own numbers.

    Args:
        room: for numbers that are kept.
    """

    def __init__(self, segment: Segment, room: int) -> None:
        self._segment = segment
        self._holding: Recent[str, _Holding] = Recent(lambda found: len(found.borders), room)

    def of(self, term: str, documents: Rows, *, positions: bool) -> Occurrences:
        """Return where a term occurs in some documents (ascending)."""
        segment, counts = self._segment, np.zeros(len(documents), np.int64)
        holding = self._holding.get(term, lambda: self._documents_of(term))
        if holding.number < 0:
            none = np.empty(0, np.int64)
            return Occurrences(none, none, counts, none if positions else None)
        place = holding.documents.searchsorted(documents.astype(holding.documents.dtype))  # else all is converted
        holds = holding.documents.take(place, mode="clip") == documents
        place = place.compress(holds)
        begins = holding.borders.take(place)
        counts[holds] = n_leaves = holding.borders.take(place + 1) - begins
        leaves = ranges(begins, n_leaves)
        rows = segment.first_row.take(documents.compress(holds)).repeat(n_leaves)
        rows += segment.elements.column("leaf").take(leaves)
        tf = MostlySmall(segment.elements, "leaf_tf").take(leaves).astype(np.int64)
        found = Occurrences(rows, tf, counts)
        return found._replace(positions=self._positions(holding.number, place)) if positions else found

    def _documents_of(self, term: str) -> _Holding:
        terms, elements = self._segment.terms, self._segment.elements
        number = terms.term_number(term.encode())
        documents = terms.postings(number).documents if number >= 0 else np.empty(0, np.int64)
        if not len(documents):  # of a term of left-out elements only there are no postings
            return _Holding(-1, documents, np.zeros(1, np.int64))
        first = int(self._segment.articles.column("postings_of_term").slice(number, number + 1)[0])
        n_leaves = MostlySmall(elements, "n_leaves").slice(first, first + len(documents))
        borders = np.zeros(len(documents) + 1, np.int64)
        np.cumsum(n_leaves, out=borders[1:])
        borders += int(elements.column("leaves_of_term").slice(number, number + 1)[0])
        return _Holding(number, documents, borders)

    def _positions(self, number: int, place: Rows) -> Rows:
        """Return the positions of a term in the documents at some places of its postings."""
        first = int(self._segment.elements.column("positions_of_term").slice(number, number + 1)[0])
        tf = self._segment.terms.postings(number).tf.astype(np.int64)
        begins = np.cumsum(tf) - tf + first
        where = ranges(begins[place], tf[place])
        return MostlySmall(self._segment.elements, "position").take(where).astype(np.int64)
