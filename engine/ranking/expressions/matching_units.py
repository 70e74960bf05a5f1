"""The units of a Q-expression in some documents that contain a query term, with what their scores are combined of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from engine.arrays import FloatArray, Numbers, distinct, is_among, places_of
from engine.index.elements.containment import enclosing_elements
from engine.index.reader import IndexReader
from engine.query_limits import check_time, reserve
from engine.ranking.expressions.expression_statistics import is_stored, statistics_of
from engine.ranking.expressions.own_scores import as_combined, own_scores
from engine.ranking.expressions.vector_lengths import UNITS, vector_lengths
from engine.records import NamedTuple
from engine.similarity.calculation import combine
from engine.similarity.expression import Calculated
from engine.similarity.own_function import OwnFunction
from engine.similarity.parameters import Parameters, with_defaults
from engine.similarity.registry import DOCUMENTS, ELEMENTS, LEAVES, ScoredContext
from engine.similarity.term_frequencies import pairs_in
from engine.similarity.values import Combined, Pairs, Units


class MatchingUnits(NamedTuple):
    """Units that contain a query term, ascending by row; the row of a document is that of its root."""

    rows: Numbers
    documents: Numbers
    document: Numbers
    pairs: Pairs
    terms: Sequence[str]
    query_tf: FloatArray
    n_leaves: Sequence[Numbers]

    @property
    def document_numbers(self) -> Numbers:
        """Document number of each unit."""
        return self.documents[self.document]


def combined_score(
    index: IndexReader, expression: Calculated, matching: MatchingUnits, parameters: Parameters | None
) -> tuple[Combined, Units]:
    """Return the addends of the scores of units, and the units as the similarity reads them."""
    units = _units(index, expression, matching)
    if isinstance(expression, OwnFunction):
        query = dict(zip(matching.terms, matching.query_tf.tolist(), strict=True))
        scores = own_scores(index, expression, matching, units.words, " ".join(query), query, parameters)
        return as_combined(matching.pairs, scores), units
    given = with_defaults(expression.parameters, parameters)
    return combine(expression, units, statistics_of(index, expression, matching), given), units


def matching_units(
    index: IndexReader, context: ScoredContext, query: Mapping[str, float], documents: Numbers, rows: Numbers | None
) -> MatchingUnits:
    """Return the units of a context in some documents that contain a query term."""
    elements = index.elements
    index.statistics.prepare(list(query))
    terms = sorted(term for term in query if index.statistics.term(term).document_frequency)
    query_tf = np.array([query[term] for term in terms], np.float64)
    found: list[tuple[Numbers, Numbers]] = []
    n_leaves: list[Numbers] = []
    if context == DOCUMENTS:
        for term in terms:
            postings = index.postings(term)
            at = places_of(is_among(postings.documents, documents))
            found.append((elements.root(postings.documents[at]), postings.tf[at]))
    else:
        leaves = []
        for term in terms:
            check_time()
            leaves.append(elements.occurrences(term, documents))
            reserve(2 * len(leaves[-1].rows) + len(documents))
        found = [(each.rows, each.tf) for each in leaves]
        n_leaves = [each.n_leaves for each in leaves]
    with_terms = distinct(np.concatenate([np.empty(0, np.int64), *(each for each, _ in found)]))
    units = units_containing(index, context, with_terms, rows)
    ends = elements.end(units) if context == ELEMENTS else units + 1
    pairs = pairs_in(found, units, ends)
    document = np.searchsorted(documents, elements.document(units))
    return MatchingUnits(units, documents, document, pairs, terms, query_tf, n_leaves)


def units_containing(index: IndexReader, context: ScoredContext, inner: Numbers, rows: Numbers | None) -> Numbers:
    """Return the units of a context, of all or of some rows, that are or contain one of the inner rows."""
    if context != ELEMENTS:
        return inner if rows is None else inner[is_among(inner, rows)]
    if rows is None:
        return enclosing_elements(index.elements, inner)
    units = rows[index.elements.nearest_non_inline(rows) == rows]
    found: Numbers = units[np.searchsorted(inner, index.elements.end(units)) > np.searchsorted(inner, units)]
    return found


def _units(index: IndexReader, expression: Calculated, matching: MatchingUnits) -> Units:
    context, rows, statistics = expression.context, matching.rows, index.statistics

    def vector(of: Calculated, parameters: Parameters) -> FloatArray:
        if is_stored(of):
            return statistics.weights[matching.document_numbers]
        return vector_lengths(of, statistics, parameters)[rows]

    if context == DOCUMENTS:
        words = statistics.lengths[matching.document_numbers]
    elif context == LEAVES:
        words = statistics.units.own_words[rows].astype(np.float64)
    else:
        words = statistics.units.words_below(rows)
    return Units(
        pairs=matching.pairs,
        query_tf=matching.query_tf,
        words=words,
        distinct=lambda: statistics.vectors.distinct(UNITS[context])[rows],
        largest=lambda: statistics.vectors.largest(UNITS[context])[rows],
        vector=vector,
    )
