"""The scores of units by a function of the user, from columns that it reads."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from engine.arrays import FloatArray, Numbers, distinct
from engine.imported_function import column_of
from engine.index.reader import IndexReader
from engine.query_limits import check_time, reserve
from engine.ranking.expressions.vector_lengths import UNITS
from engine.similarity.own_function import OwnFunction
from engine.similarity.registry import ScoredContext
from engine.similarity.values import Combined, Pairs
from engine.threads import cached_property

# Numbers of frequencies that a function is given at once.
MOST_CELLS = 2**20


class ScoringColumns:
    """The columns that a scoring function reads: n texts with a word of the query, and the m terms of the query.

    Arrays are float64. Texts are elements, windows of sentences, or whole documents; all of a column are of one kind.
    A term is in the collection; a group of alternatives is one.

    query: as typed. terms: shape (m,), sorted. query_tf: how often each is in the query, below 1 the share of a word,
    shape (m,). tf: how often each text contains each term, shape (n, m). lengths: words of each text, shape (n,).
    n_texts, n_terms: n and m.
    """

    def __init__(
        self,
        index: IndexReader,
        context: ScoredContext,
        query: str,
        terms: Mapping[str, float],
        tf: FloatArray,
        lengths: FloatArray,
        documents: Numbers,
    ) -> None:
        self._index, self._context, self._documents = index, context, documents
        self.query, self.terms, self.tf, self.lengths = query, tuple(terms), tf, lengths
        self.query_tf = np.array(list(terms.values()), np.float64)
        self.n_texts, self.n_terms = tf.shape

    @property
    def n_documents(self) -> int:
        """Documents of the collection."""
        return self._index.statistics.n_documents

    @property
    def n_elements(self) -> int:
        """Elements of the collection that are not inline."""
        return int(self._index.statistics.units.n("element"))

    @property
    def n_words(self) -> int:
        """Words of the collection that are terms."""
        return self._index.statistics.n_tokens

    @property
    def mean_length(self) -> float:
        """Mean number of words of the documents or elements of the collection, of what the texts are."""
        return float(self._index.statistics.units.mean_words(UNITS[self._context]))

    @property
    def block_words(self) -> float:
        """Words of a text block of the collection, such as a paragraph."""
        return float(self._index.statistics.block_words)

    @cached_property
    def document_frequency(self) -> FloatArray:
        """How many documents contain each term, shape (m,)."""
        return np.array([self._index.statistics.term(term).document_frequency for term in self.terms], np.float64)

    @cached_property
    def element_frequency(self) -> FloatArray:
        """How many elements contain each term, shape (m,)."""
        return np.array([self._index.statistics.term(term).element_frequency for term in self.terms], np.float64)

    @cached_property
    def collection_frequency(self) -> FloatArray:
        """How often the collection contains each term, shape (m,)."""
        return np.array([self._index.statistics.term(term).collection_frequency for term in self.terms], np.float64)

    @cached_property
    def document_lengths(self) -> FloatArray:
        """Words of the document of each text, shape (n,)."""
        return self._index.statistics.lengths[self._documents].astype(np.float64)

    @cached_property
    def document_tf(self) -> FloatArray:
        """How often the document of each text contains each term, shape (n, m)."""
        documents, place = np.unique(self._documents, return_inverse=True)
        found = np.zeros((len(documents), self.n_terms))
        for number, term in enumerate(self.terms):
            postings = self._index.postings(term)
            at = np.minimum(postings.documents.searchsorted(documents), max(len(postings.documents) - 1, 0))
            if len(postings.documents):
                found[:, number] = np.where(postings.documents[at] == documents, postings.tf[at], 0)
        return found[place]

    def __repr__(self) -> str:
        return f"ScoringColumns({self.query!r}, texts={self.n_texts}, terms={self.n_terms})"


class OwnUnits(Protocol):
    """Units that contain query terms: what `own_scores` reads of them."""

    @property
    def pairs(self) -> Pairs:
        """Terms in units, with their frequencies."""

    @property
    def terms(self) -> Sequence[str]:
        """The terms of the pairs, sorted."""

    @property
    def documents(self) -> Numbers:
        """Document numbers, ascending."""

    @property
    def document(self) -> Numbers:
        """Index of each unit's document in `documents`."""


def own_scores(
    index: IndexReader,
    function: OwnFunction,
    units: OwnUnits,
    lengths: FloatArray,
    query: str,
    terms: Mapping[str, float],
    given: Mapping[str, object] | None = None,
) -> FloatArray:
    """Return the score of each unit by a function, 0 of those without a term; shape (n_units,).

    The function is called for some units after the others, so that the memory of their columns is bounded.

    Args:
        lengths: words of each unit.
        terms: all of the query that the collection contains, sorted, with their frequencies in the query.
        given: parameters of the function; the others have their defaults.
    Raises: FunctionError.
    """
    pairs, scores = units.pairs, np.zeros(len(lengths))
    loaded, usual = function.loaded(), function.defaults
    parameters = {name: (given or {}).get(name, value) for name, value in usual.items()}
    known = list(terms)
    column = np.array([bisect_left(known, term) for term in units.terms], np.int64)
    by_unit = np.argsort(pairs.unit, kind="stable")
    unit, term, tf = pairs.unit[by_unit], column[pairs.term[by_unit]], pairs.tf[by_unit]
    found = distinct(unit)
    reserve(4 * len(unit) + 4 * MOST_CELLS)
    step = max(MOST_CELLS // max(len(known), 1), 1)
    for first in range(0, len(found), step):
        check_time()
        chosen = found[first : first + step]
        begin, end = unit.searchsorted([chosen[0], chosen[-1] + 1])
        frequencies = np.zeros((len(chosen), len(known)))
        frequencies[chosen.searchsorted(unit[begin:end]), term[begin:end]] = tf[begin:end]
        documents = units.documents[units.document[chosen]]
        columns = ScoringColumns(index, function.context, query, terms, frequencies, lengths[chosen], documents)
        name = f"similarity {function.function}"
        scores[chosen] = column_of(loaded, name, query, columns, len(chosen), **parameters)
    return scores


def as_combined(pairs: Pairs, scores: FloatArray) -> Combined:
    """Return scores that are not made of parts of terms as an expression's are."""
    return Combined(np.zeros(len(pairs.unit)), np.ones(len(scores)), scores)
