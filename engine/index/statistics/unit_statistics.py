"""Counts and lengths of the units of a collection: documents, leaves and elements, without deleted documents.

A leaf is an element whose own text contains a term; the text of inline elements belongs to the element around them. An
element, here, is any element that is not inline. Columns have an entry for each row of the element store.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from engine.arrays import FloatArray, Mask, Rows
from engine.columns.byte_column import ByteColumn
from engine.index.elements.element_store import Elements
from engine.index.manifest import Totals
from engine.index.segment import Segment
from engine.threads import cached_property

Unit: TypeAlias = Literal["document", "leaf", "element"]


class UnitStatistics:
    """Counts and lengths of documents, leaves and elements; each is computed on first use, then cached."""

    def __init__(
        self,
        segments: Sequence[Segment],
        elements: Elements,
        live: Mask | None,
        totals: Totals,
        *,
        has_stop_words: bool,
    ) -> None:
        self._segments, self._elements, self._live, self._totals = segments, elements, live, totals
        self._has_stop_words = has_stop_words
        self.n_rows = int(elements.row_base[-1])

    def n(self, unit: Unit) -> float:
        """Return the number of units."""
        if unit == "document":
            return float(self._totals.documents)
        return self._n_leaves if unit == "leaf" else self._n_elements

    @cached_property
    def _n_leaves(self) -> float:
        return float(self.n_leaves_of_document.sum())

    @cached_property
    def _n_elements(self) -> float:
        return float(self.n_elements_of_tag.sum())

    @property
    def n_rows_of_all(self) -> int:
        """Number of elements of the live documents, inline ones included."""
        return self._totals.elements

    def words(self, unit: Unit) -> FloatArray:
        """Return the length of each unit in words without stop words, by row; 0 at rows of other elements."""
        if unit == "leaf":
            return self._own_words_float
        return self._words_of_elements if unit == "element" else self._words_of_documents

    @cached_property
    def _own_words_float(self) -> FloatArray:
        return self.own_words.astype(np.float64)

    @cached_property
    def _words_of_elements(self) -> FloatArray:
        return self._words_of(np.flatnonzero(self.is_element))

    @cached_property
    def _words_of_documents(self) -> FloatArray:
        return self._words_of(self._roots)

    def _words_of(self, rows: Rows) -> FloatArray:
        words = np.zeros(self.n_rows)
        words[rows] = self.words_below(rows)
        return words

    def mean_words(self, unit: Unit) -> float:
        """Return the mean length of the units in words without stop words."""
        return self._mean_words_of_elements if unit == "element" else float(self._totals.tokens) / self.n(unit)

    @cached_property
    def _mean_words_of_elements(self) -> float:
        return float(self.words_of_all_elements / self.n("element"))

    @cached_property
    def words_of_all_elements(self) -> float:
        """Sum of the lengths of all elements in words without stop words."""
        return float(self.words_below(np.flatnonzero(self.is_element)).sum())

    def words_below(self, rows: Rows) -> FloatArray:
        """Return the number of words in the subtree of each element, without stop words."""
        if not self._has_stop_words:
            return self._elements.n_words(rows).astype(np.float64)
        before = self._words_before
        words: FloatArray = before[self._elements.end(rows)] - before[rows]
        return words

    def leaves_below(self, rows: Rows) -> Rows:
        """Return the number of leaves in the subtree of each element, itself included."""
        before = self._leaves_before
        leaves: Rows = before[self._elements.end(rows)] - before[rows]
        return leaves

    def parent_element(self, rows: Rows) -> Rows:
        """Return the nearest ancestor of each row that is not inline; a root's is the root itself."""
        return self._elements.nearest_non_inline(self._elements.parent(rows))

    @cached_property
    def n_leaves_of_document(self) -> FloatArray:
        """Number of leaves of each document, 0 of deleted ones."""
        columns = [s.elements.column("leaf_count").all().astype(np.float64) for s in self._segments]
        counts = np.concatenate([np.empty(0), *columns])
        return counts if self._live is None else np.where(self._live, counts, 0.0)

    @cached_property
    def n_elements_of_tag(self) -> FloatArray:
        """Number of elements by tag number."""
        n_tags = len(self._elements.tags)
        return np.bincount(self.tags[self.is_element], minlength=n_tags).astype(np.float64)

    def is_live(self, documents: Rows) -> Mask:
        """Return for each document number whether the document is not deleted."""
        return np.ones(len(documents), np.bool_) if self._live is None else self._live[documents]

    @property
    def _roots(self) -> Rows:
        n_slots = int(self._elements.document_base[-1])
        return self._elements.root(np.arange(n_slots) if self._live is None else np.flatnonzero(self._live))

    @cached_property
    def parents(self) -> Rows:
        """Row of the parent of each row; a root's is its own."""
        return self._elements.parent(np.arange(self.n_rows))

    @cached_property
    def documents(self) -> Rows:
        """Document number of each row."""
        return self._elements.document(np.arange(self.n_rows))

    @cached_property
    def tags(self) -> Rows:
        """Tag number of each row."""
        return self._elements.tag(np.arange(self.n_rows))

    @cached_property
    def is_element(self) -> Mask:
        """Mask of the rows that are elements, not inline, of live documents."""
        rows = np.arange(self.n_rows)
        is_element: Mask = self._elements.nearest_non_inline(rows) == rows
        return is_element if self._live is None else is_element & self._live[self.documents]

    @cached_property
    def own_words(self) -> Rows:
        """Number of words in the own text of each leaf, without stop words; 0 of rows that are not leaves."""
        own = np.zeros(self.n_rows, np.int64)
        for base, segment in zip(self._elements.row_base.tolist(), self._segments, strict=False):
            document = segment.articles.column("document").all()
            n_leaves = ByteColumn(segment.elements, "n_leaves").all()
            leaf, tf = segment.leaves.all()
            rows = np.repeat(segment.first_row[document], n_leaves) + leaf.astype(np.int64)
            words = np.bincount(rows, tf, segment.n_elements)
            own[base : base + segment.n_elements] = words
        if self._live is not None:
            own[~self._live[self.documents]] = 0
        return own

    @cached_property
    def _words_before(self) -> FloatArray:
        return np.concatenate([[0], np.cumsum(self.own_words)]).astype(np.float64)

    @cached_property
    def _leaves_before(self) -> Rows:
        return np.concatenate([[0], np.cumsum(self.own_words > 0)]).astype(np.int64)
