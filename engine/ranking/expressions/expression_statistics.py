"""The collection statistics that a Q-expression needs to score units with the terms of a query."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from engine.arrays import Numbers
from engine.index.reader import IndexReader
from engine.index.statistics.collection_statistics import TermStatistics
from engine.ranking.expressions.vector_lengths import UNITS, vector_lengths
from engine.similarity.expression import Calculated
from engine.similarity.parameters import Parameters
from engine.similarity.registry import (
    DOCUMENTS,
    OF_DOCUMENT,
    OF_DOCUMENT_AND_ALL,
    OF_TAG,
    TABLES,
    TERM_WEIGHT,
    WORDS,
    Counted,
)
from engine.similarity.values import Counts, FormulaStatistics

# attribute with N_t, by the units that are counted
FREQUENCIES: Mapping[Counted, str] = {"D": "document_frequency", "P": "leaf_frequency", "E": "element_frequency"}

# context, use of the term weight and frequency of the vector lengths that an index stores
STORED = (DOCUMENTS, "A", "B")


class QueryUnits(Protocol):
    """Units that contain query terms, in some documents: input of `statistics_of`."""

    @property
    def rows(self) -> Numbers:
        """Row of each unit, or of the element that contains it."""

    @property
    def documents(self) -> Numbers:
        """Document numbers, ascending; the documents of all units are among them."""

    @property
    def document(self) -> Numbers:
        """Index of each unit's document in `documents`."""

    @property
    def terms(self) -> Sequence[str]:
        """Terms that occur in the units, sorted."""

    @property
    def n_leaves(self) -> Sequence[Numbers]:
        """Number of leaves that contain each term, in each of `documents`; not read for D expressions."""


def statistics_of(index: IndexReader, expression: Calculated, matching: QueryUnits) -> FormulaStatistics:
    """Return the collection statistics that an expression needs to score some units."""
    collection, unit = index.statistics, UNITS[expression.context]
    terms = [collection.term(term) for term in matching.terms]

    def mean_vector(of: Calculated, parameters: Parameters) -> float:
        if is_stored(of):
            return collection.mean_weight
        return math.fsum(vector_lengths(of, collection, parameters).tolist()) / collection.units.n(unit)

    return FormulaStatistics(
        counts=lambda which: counts_of(index, expression, matching, which),
        occurrences=lambda: np.array([term.collection_frequency for term in terms], np.int64),
        mean_words=lambda: collection.units.mean_words(unit),
        mean_distinct=lambda: collection.vectors.mean_distinct(unit),
        mean_vector=mean_vector,
    )


def counts_of(index: IndexReader, expression: Calculated, matching: QueryUnits, which: Counted) -> Counts:
    """Return N and N_t of the query's terms in the units, or the words, that are counted."""
    terms = [index.statistics.term(term) for term in matching.terms]
    if which == OF_DOCUMENT_AND_ALL:
        inside, everywhere = (_counts(index, expression, matching, terms, each) for each in (OF_DOCUMENT, "P"))
        return Counts(inside.n, inside.n_t, group=inside.group, wider=everywhere)
    return _counts(index, expression, matching, terms, which)


def _counts(
    index: IndexReader, expression: Calculated, matching: QueryUnits, terms: Sequence[TermStatistics], which: Counted
) -> Counts:
    collection = index.statistics
    units = collection.units
    if which == OF_TAG:
        n_t = np.stack([term.element_frequency_by_tag for term in terms])
        return Counts(units.n_elements_of_tag, n_t, group=index.elements.tag(matching.rows))
    if which == OF_DOCUMENT:
        n_t = np.array(matching.n_leaves, np.float64)
        return Counts(units.n_leaves_of_document[matching.documents], n_t, group=matching.document)
    if which == WORDS:
        n_t = np.array([[term.collection_frequency] for term in terms], np.float64)
        return Counts(float(collection.n_tokens), n_t)
    reads = TABLES[TERM_WEIGHT][expression.term_weight].reads
    n_t = np.array([[getattr(term, FREQUENCIES[which])] for term in terms], np.float64)
    total = collection.vectors.n_pairs(UNITS[which]) if "total" in reads else math.nan
    return Counts(units.n(UNITS[which]), n_t, total)


def is_stored(expression: Calculated) -> bool:
    """Return whether the index stores W_d of the expression: that of documents, with w_d,t = 1 + ln f_d,t."""
    return (expression.context, expression.unit.method, expression.unit.frequency) == STORED
