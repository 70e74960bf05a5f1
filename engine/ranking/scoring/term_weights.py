"""How much the terms of a query weigh where elements contain them: for coverage and headings.

Weights are those of the expression that scores the elements, w_t of Table A.2, also of terms that a document lacks. So
they do not depend on which documents are searched together.

By letter V, a document decides which words of the query tell its parts apart, not how much the query weighs: weights in
a document are multiplied by one factor, with which they add up to what they do in the collection. Without it, all parts
of a document that is about the query would count less than a text elsewhere that has its words by chance.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from engine.arrays import FloatArray, Numbers
from engine.index.reader import IndexReader
from engine.ranking.expressions.expression_statistics import QueryUnits, counts_of
from engine.records import NamedTuple
from engine.similarity.expression import Calculated
from engine.similarity.parameters import Parameters, with_defaults
from engine.similarity.registry import OF_DOCUMENT_AND_ALL, TABLES, TERM_WEIGHT, Component
from engine.similarity.values import Counts, Pairs, ratio


class TermWeights(NamedTuple):
    """Weights of the terms of a query in groups of units.

    of_terms: of the terms that occur in units, shape (n_terms, n_groups). of_query: sums over all terms of the query
    that the collection contains, shape (n_groups,). group: the group of each unit, None if there is one.
    """

    of_terms: FloatArray
    of_query: FloatArray
    group: Numbers | None

    def of_pairs(self, pairs: Pairs) -> FloatArray:
        """Return the weight of each pair's term for its unit, shape (n_pairs,)."""
        if self.group is None:
            place = pairs.term * self.of_terms.shape[1]
        else:
            place = pairs.term * self.of_terms.shape[1] + self.group.take(pairs.unit)
        weights: FloatArray = self.of_terms.ravel().take(place)
        return weights

    def of_units(self, n_units: int) -> FloatArray:
        """Return the weight of the whole query for each unit, shape (n_units,)."""
        return np.full(n_units, self.of_query[0]) if self.group is None else self.of_query.take(self.group)


class DocumentWeights(NamedTuple):
    """The weights of the terms of a query in some documents, for expressions that weigh terms by documents.

    documents: ascending. terms: all that the collection contains, sorted. of_terms: shape (n_terms, n_documents).
    of_query: sums over the terms, shape (n_documents,).
    """

    documents: Numbers
    terms: Sequence[str]
    of_terms: FloatArray
    of_query: FloatArray

    def within(self, documents: Numbers, terms: Sequence[str]) -> TermWeights:
        """Return the weights of some of the terms (sorted) in some of the documents (ascending), which are groups."""
        places = self.documents.searchsorted(documents)
        of_terms = self.of_terms.take(places, axis=1)
        if len(terms) < len(self.terms):
            of_terms = of_terms.take([bisect_left(self.terms, term) for term in terms], axis=0)
        return TermWeights(of_terms, self.of_query.take(places), None)


def covered_share(weights: TermWeights, pairs: Pairs, n_units: int) -> FloatArray:
    """Return the share of the query's weight that each unit contains, 0 to 1: of distinct terms, however often.

    It is 0 where the weights of the terms in a unit have a sum below 0.
    """
    total = weights.of_units(n_units)
    covered = np.bincount(pairs.unit, weights.of_pairs(pairs), n_units)
    share = np.divide(covered, total, out=np.zeros(n_units), where=total > 0)
    return np.clip(share, 0.0, 1.0)


def term_weights(
    index: IndexReader,
    expression: Calculated,
    known: QueryUnits,
    shares: FloatArray,
    parameters: Parameters,
    terms: Sequence[str],
) -> TermWeights:
    """Return the weights of terms in the documents or elements that an expression counts apart.

    Args:
        known: units with the statistics of all terms of the query that the collection contains, sorted.
        shares: of a word that each of these is, by which its weight is multiplied.
        terms: those of them, sorted, whose weights are asked for one by one.
    """
    component, given = TABLES[TERM_WEIGHT][expression.term_weight], with_defaults(expression.parameters, parameters)
    if not known.terms:
        return TermWeights(np.empty((0, 1)), np.zeros(1), None)
    if not component.counted:
        weights, group = shares[:, np.newaxis], None
    else:
        counts = counts_of(index, expression, known, component.counted)
        weights, group = component.function(counts, given), counts.group
        weights = weights * shares[:, np.newaxis]
    total = _added_up(weights)
    if component.counted == OF_DOCUMENT_AND_ALL:
        in_collection = np.full(len(total), _of_query_in_collection(component, counts, shares, given))
        weights = weights * ratio(in_collection, total)
        total = _added_up(weights)  # all words are a share of exactly 1
    if len(terms) < len(known.terms):
        weights = weights.take([bisect_left(known.terms, term) for term in terms], axis=0)
    return TermWeights(weights, total, group)


def _added_up(weights: FloatArray) -> FloatArray:
    """Return the sums over terms, in their order, as those of the terms in a unit are added."""
    total = np.zeros(weights.shape[1])
    for of_term in weights:
        total += of_term
    return total


def _of_query_in_collection(component: Component, counts: Counts, shares: FloatArray, given: Parameters) -> float:
    """Return the weight of the whole query in the collection, as if that were one document."""
    everywhere = counts.wider
    if everywhere is None:
        raise TypeError(f"letter {component.letter} needs the counts of the whole collection")
    weights = component.function(everywhere._replace(wider=everywhere), given)
    return math.fsum((weights[:, 0] * shares).tolist())
