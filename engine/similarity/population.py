"""What an index holds, as the framework counts it: documents, text nodes and element nodes, live ones only.

A text node is a leaf: an element with words of its own, inline tags handing theirs to the element around them. An
element node is any element that is not inline. Columns go by row of the element store.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from engine.index.mostly_small import MostlySmall
from engine.index.recent import Recent
from engine.regions import ancestors_or_self
from engine.similarity.census import Census
from engine.similarity.values import FloatArray, Numbers

if TYPE_CHECKING:
    from engine.index.codec import Postings
    from engine.index.elements import Elements
    from engine.index.index import Index


class Population:
    """The units of an open index; counted when first asked for, and kept.

    Nothing here refers to the index, so that what is kept goes when the index does.
    """

    def __init__(self, index: Index) -> None:
        self.elements, self.segments, self.live = index.elements, index.segments, index.live
        self._has_stop_words = bool(index.analyser.stop_words)
        self._n_documents, self._statistics = index.n_slots, index.manifest.statistics
        self._terms: Recent[str, TermCounts] = Recent(lambda counts: counts.size)
        self._words: dict[str, FloatArray] = {}
        self.n_rows = int(index.elements.row_base[-1])
        self.counted: dict[Any, Any] = {}  # by the census

    @property
    def census(self) -> Census:
        """What all postings tell of the units."""
        return Census(self)

    def term(self, term: str, postings: Postings) -> TermCounts:
        """Return what the collection knows of a term that some documents hold."""
        return self._terms.get(term, lambda: TermCounts(self.elements, term, postings))

    def n(self, population: str) -> float:
        """Return N of documents (D), text nodes (P) or element nodes (E); |C| of words (C)."""
        statistics = self._statistics
        match population:
            case "D":
                return float(statistics.documents)
            case "C":
                return float(statistics.tokens)
            case "P":
                return float(self.n_leaves_of_document.sum())
            case _:
                return float(self.n_of_name.sum())

    def words(self, context: str) -> FloatArray:
        """Return f_d of the units of a context by row, 0 where a row is none."""
        if context not in self._words:
            self._words[context] = self._count_words(context)
        return self._words[context]

    def _count_words(self, context: str) -> FloatArray:
        if context == "T":
            return self.own_words.astype(np.float64)
        rows = np.flatnonzero(self.is_element) if context == "E" else self.roots
        words = np.zeros(self.n_rows)
        words[rows] = self.words_below(rows)
        return words

    def mean_words(self, context: str) -> float:
        """Return the mean of f_d over the units of a context."""
        return self._mean_words_of_elements if context == "E" else self.n("C") / self.n("D" if context == "D" else "P")

    @cached_property
    def _mean_words_of_elements(self) -> float:
        return float(self.words_below(np.flatnonzero(self.is_element)).sum() / self.n("E"))

    def words_below(self, rows: Numbers) -> FloatArray:
        """Return how many words each of some elements holds, all below it included, but stop words."""
        if not self._has_stop_words:
            return self.elements.n_words(rows).astype(np.float64)
        before = self._words_before
        words: FloatArray = before[self.elements.end(rows)] - before[rows]
        return words

    def leaves_below(self, rows: Numbers) -> Numbers:
        """Return |D_e|: how many leaves each of some elements holds, itself included."""
        before = self._leaves_before
        leaves: Numbers = before[self.elements.end(rows)] - before[rows]
        return leaves

    def parent(self, rows: Numbers) -> Numbers:
        """Return the nearest element node above each row; a root's is its own."""
        return self.elements.lift(self.elements.parent(rows))

    @cached_property
    def n_leaves_of_document(self) -> FloatArray:
        """N_P in d of each document, 0 of deleted ones."""
        columns = [s.elements.column("leaf_count").all().astype(np.float64) for s in self.segments]
        counts = np.concatenate([np.empty(0), *columns])
        return counts if self.live is None else np.where(self.live, counts, 0.0)

    @cached_property
    def roots(self) -> Numbers:
        """Rows of the roots of live documents."""
        live = self.live
        documents = np.arange(self._n_documents) if live is None else np.flatnonzero(live)
        return self.elements.root(documents)

    @cached_property
    def parents(self) -> Numbers:
        """Rows of the parents, a root's is its own."""
        return self.elements.parent(np.arange(self.n_rows))

    @cached_property
    def documents(self) -> Numbers:
        """Numbers of the documents."""
        return self.elements.document(np.arange(self.n_rows))

    @cached_property
    def names(self) -> Numbers:
        """Numbers of the names."""
        return self.elements.tag(np.arange(self.n_rows))

    @cached_property
    def is_element(self) -> NDArray[np.bool_]:
        """Which rows are element nodes of live documents."""
        rows = np.arange(self.n_rows)
        is_element: NDArray[np.bool_] = self.elements.lift(rows) == rows
        return is_element if self.live is None else is_element & self.live[self.documents]

    @cached_property
    def n_of_name(self) -> FloatArray:
        """N_En by number of the name."""
        return np.bincount(self.names[self.is_element], minlength=len(self.elements.tags)).astype(np.float64)

    @cached_property
    def own_words(self) -> Numbers:
        """Words of each leaf itself, 0 of rows that are none."""
        own = np.zeros(self.n_rows, np.int64)
        for base, segment in zip(self.elements.row_base.tolist(), self.segments, strict=False):
            document = segment.articles.column("document").all()
            n_leaves = MostlySmall(segment.elements, "n_leaves").all()
            rows = np.repeat(segment.first_row[document], n_leaves) + segment.elements.column("leaf").all()
            words = np.bincount(rows, MostlySmall(segment.elements, "leaf_tf").all(), segment.n_elements)
            own[base : base + segment.n_elements] = words
        if self.live is not None:
            own[~self.live[self.documents]] = 0
        return own

    @cached_property
    def _words_before(self) -> FloatArray:
        return np.concatenate([[0], np.cumsum(self.own_words)]).astype(np.float64)

    @cached_property
    def _leaves_before(self) -> Numbers:
        return np.concatenate([[0], np.cumsum(self.own_words > 0)]).astype(np.int64)


def elements_around(elements: Elements, leaves: Numbers) -> Numbers:
    """Return the leaves (ascending) and the element nodes above them, ascending."""
    rows = ancestors_or_self(elements, leaves)
    found: Numbers = rows[elements.lift(rows) == rows]
    return found


class TermCounts:
    """N_t and F_t of a term, everywhere; counted when first asked for."""

    def __init__(self, elements: Elements, term: str, postings: Postings) -> None:
        self._elements, self._term, self._postings = elements, term, postings

    @property
    def size(self) -> int:
        """How many numbers are kept here."""
        return 2 * len(self._postings.documents) + len(self._elements.tags)

    @cached_property
    def occurrences(self) -> int:
        """F_t."""
        return int(self._postings.tf.sum())

    @cached_property
    def n_elements_of_name(self) -> FloatArray:
        """N_En,t by number of the name."""
        leaves = self._elements.occurrences(self._term, self._postings.documents).rows
        names = self._elements.tag(elements_around(self._elements, leaves))
        return np.bincount(names, minlength=len(self._elements.tags)).astype(np.float64)

    def n_t(self, population: str) -> float:
        """Return N_t of documents (D) or element nodes (E); F_t of words (C)."""
        match population:
            case "D":
                return float(len(self._postings.documents))
            case "C":
                return float(self.occurrences)
            case _:
                return float(self.n_elements_of_name.sum())


_POPULATIONS: WeakKeyDictionary[Index, Population] = WeakKeyDictionary()


def population_of(index: Index) -> Population:
    """Return the population of an open index, the same as long as it is open."""
    known = _POPULATIONS.get(index)
    if known is None:
        known = _POPULATIONS[index] = Population(index)
    return known
