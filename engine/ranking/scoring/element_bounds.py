"""Upper bounds of the scores of elements and windows of sentences before context, which `element_scorer` never exceeds.

Letters whose functions are monotone (`Component.is_monotone`) give the bound themselves: a unit that contains no fewer
occurrences in no more words, with no smaller term weights, scores no less.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import FloatArray, Mask, Rows, ranges
from engine.index.postings.term_stretches import HIGHEST_FREQUENCY
from engine.index.reader import IndexReader
from engine.kernels.table import compiled, native
from engine.planning.plan import ByScore
from engine.query.query import Query
from engine.query_limits import check_time, reserve
from engine.ranking.expressions.expression_statistics import statistics_of
from engine.ranking.expressions.term_units import TermUnits
from engine.ranking.parts.coverage import coverage_factors, times_coverage
from engine.ranking.parts.headings import most_with_named
from engine.ranking.parts.sequence import sequence_bound
from engine.ranking.scoring.term_weights import DocumentWeights, TermWeights, term_weights
from engine.records import NamedTuple
from engine.similarity.calculation import as_product, shares_of
from engine.similarity.expression import Calculated
from engine.similarity.parameters import Parameters
from engine.similarity.registry import ELEMENTS, OF_DOCUMENT, TABLES, TERM_WEIGHT
from engine.similarity.term_frequencies import joined, pairs_of
from engine.similarity.values import ratio

# Relative rounding error of a score and of its bound, far above what they can have.
ROUNDING = 1e-9


def has_bounds(query: Query, order: ByScore) -> bool:
    """Return whether the scores of elements have bounds: all letters are monotone, and no phrase is a term."""
    expression = order.expression
    if not isinstance(expression, Calculated) or expression.context != ELEMENTS or not expression.is_monotone:
        return False
    weighs_inside_articles = TABLES[TERM_WEIGHT][expression.term_weight].counted in ("", OF_DOCUMENT)
    return not (weighs_inside_articles and any(term.is_phrase for term in query.wanted))


class PartBounds(NamedTuple):
    """The most that the parts of a score can be in each of some documents, shape (n,).

    alone: the score of an element or a window before context. of_headings: the weight of the query in headings.
    of_sequence: that of the query in documents that contain its sequence. weights: of the terms in these documents,
    None where they do not depend on the documents.
    """

    alone: FloatArray
    of_headings: FloatArray
    of_sequence: FloatArray
    weights: DocumentWeights | None = None


def part_bounds(index: IndexReader, query: Query, order: ByScore, documents: Rows) -> PartBounds:
    """Return the most that answers in each document (ascending) can score, by where in the documents the terms occur.

    A text is cut into stretches of 2^bits words, for several numbers of bits. An element of at most as many words lies
    in two neighbouring stretches, and has more words than the next shorter stretches, or lies in those. The words of a
    leaf count where it begins: an element contains all of a leaf or nothing, and a window no more than all. A window
    that spans leaves lies in the stretches of all of these leaves, but can be much shorter. Headings contain no terms
    but those of leaves with the tag of a heading, with a tag that occurs inside headings, or in a header row.
    """
    terms = [word for word in query.word_counts if index.statistics.term(word).document_frequency]
    if not terms:
        return PartBounds(*np.zeros((3, len(documents))))
    return _of_stretches(index, query, order, terms, documents)


def _of_stretches_in_numpy(
    index: IndexReader, query: Query, order: ByScore, terms: Sequence[str], documents: Rows
) -> PartBounds:
    tf, n, n_leaves, in_headings = index.stretches.of_each(terms, documents, SHORTEST_BITS)
    found = of_all_sizes(tf, n)
    units = _documents_as_units(index, query, terms, documents, list(n_leaves))
    weights = _weights(index, order, units)
    highest = _highest(index, order, units, weights, found)
    return _with_parts(index, order, highest, units, in_headings, weights)


@compiled(_of_stretches_in_numpy)
def _of_stretches(
    index: IndexReader, query: Query, order: ByScore, terms: Sequence[str], documents: Rows
) -> PartBounds:
    """Return the bounds, all stretches scored at once."""
    check_time()
    tf, begins, n, n_leaves, in_headings = index.stretches.counts_of_each(terms, documents, SHORTEST_BITS)
    fewest = fewest_words(n)
    units = _documents_as_units(index, query, terms, documents, list(n_leaves))
    weights = _weights(index, order, units)
    statistics = statistics_of(index, _calculated(order), units)
    w_t = np.where(n_leaves > 0, weights.of_terms, 0.0)
    most_frequent = max(index.statistics.term(word).collection_frequency for word in terms)
    frequencies = np.append(np.arange(1, HIGHEST_FREQUENCY), most_frequent)
    parameters = _parameters(index, order)
    product = as_product(_calculated(order), np.array(fewest), frequencies, units.query_tf, w_t, statistics, parameters)
    of_query = np.broadcast_to(weights.of_query, len(documents)).copy()
    of_terms, of_units = (
        np.broadcast_to(each, (len(each), len(documents))).copy() for each in (product.of_terms, product.of_units)
    )
    w_t = np.broadcast_to(w_t, (len(terms), len(documents))).copy()
    columns = tf, begins, n, n_leaves, of_terms, w_t, of_query, product.of_frequencies, of_units
    found, first = native.stretch_scores(*columns, len(fewest), 1 << STEP, HIGHEST_FREQUENCY)
    scores, share = np.frombuffer(found, np.float64).reshape(2, -1)
    reserve(scores.size)
    scores = times_coverage(scores, coverage_factors(share, order.coverage))
    highest = np.maximum(np.maximum.reduceat(scores, np.frombuffer(first, np.int64)), 0.0)
    return _with_parts(index, order, highest, units, in_headings, weights)


def _with_parts(
    index: IndexReader, order: ByScore, highest: FloatArray, units: TermUnits, in_headings: Mask, weights: TermWeights
) -> PartBounds:
    """Return the highest scores of documents with what else is known of these."""
    of_documents = None
    if weights.group is not None:
        of_documents = DocumentWeights(units.documents, units.terms, weights.of_terms, weights.of_query)
    of_headings = _of_headings(index, order, in_headings, weights)
    of_query = weights.of_units(len(units.documents))
    return PartBounds(highest, of_headings, sequence_bound(index, order, units.documents, of_query), of_documents)


def _documents_as_units(
    index: IndexReader, query: Query, terms: Sequence[str], documents: Rows, n_leaves: Sequence[Rows]
) -> TermUnits:
    """Return each document as a unit, for the statistics of terms in its parts; no terms in it are needed for these."""
    query_tf = np.array([query.word_counts[word] for word in terms], np.float64)
    roots, every = index.elements.root(documents), np.arange(len(documents))
    return TermUnits(roots, documents, every, joined([]), terms, query_tf, n_leaves)


def _weights(index: IndexReader, order: ByScore, units: TermUnits) -> TermWeights:
    """Return the weights of the terms in each document."""
    shares = shares_of(units.query_tf)
    return term_weights(index, _calculated(order), units, shares, _parameters(index, order), units.terms)


def _of_headings(index: IndexReader, order: ByScore, is_in: Mask, weights: TermWeights) -> FloatArray:
    """Return the most that headings of each document can count, by the terms that are in them.

    Args:
        is_in: shape (n_terms, n_documents).
    """
    has_none = index.profile.all_title_tags.isdisjoint(index.elements.tags) and index.header_rows.is_empty
    if not order.heading_weight or has_none:
        return np.zeros(is_in.shape[1])
    found = (weights.of_terms * is_in).sum(axis=0)
    return most_with_named(found, weights)


def _highest(
    index: IndexReader, order: ByScore, units: TermUnits, weights: TermWeights, stretches: Sequence[StretchPairs]
) -> FloatArray:
    """Return the most that an element in some stretches of each document scores, by the weights of the terms there.

    What it contains of the query is no more than the share of the stretches, so that what lacks terms scores less.
    """
    check_time()
    expression, n_documents = _calculated(order), len(units.rows)
    most = max(int(each.tf.max(initial=1)) for each in stretches)
    if most >= HIGHEST_FREQUENCY:  # what is counted as that can be any frequency
        most = max(index.statistics.term(word).collection_frequency for word in units.terms)
    frequencies = np.append(np.arange(1, min(most, HIGHEST_FREQUENCY)), most)
    words = np.array([each.fewest for each in stretches])
    statistics = statistics_of(index, expression, units)
    w_t = np.where(np.stack(units.n_leaves) > 0, weights.of_terms, 0.0)
    product = as_product(expression, words, frequencies, units.query_tf, w_t, statistics, _parameters(index, order))
    of_terms, weights_of_terms = product.of_terms.ravel(), w_t.ravel()
    of_query = np.broadcast_to(weights.of_query, n_documents)
    highest = np.zeros(n_documents)
    for stretch, of_frequencies, of_units in zip(stretches, product.of_frequencies, product.of_units, strict=True):
        term, unit, tf = pairs_of(stretch.tf)
        reserve(4 * len(term))
        n, row = len(stretch.document), term * n_documents + stretch.document.take(unit)
        parts = of_terms.take(row) * of_frequencies.take(tf, mode="clip")
        scores = np.bincount(unit, parts, n) * of_units.take(stretch.document)
        if order.coverage:
            covered = np.bincount(unit, weights_of_terms.take(row), n).astype(np.float64, copy=False)
            share = ratio(covered, of_query.take(stretch.document))
            scores *= np.minimum(share, 1.0) ** order.coverage
        np.maximum(highest, np.maximum.reduceat(scores, stretch.first), out=highest)
    return highest


def _calculated(order: ByScore) -> Calculated:
    if not isinstance(order.expression, Calculated):
        raise TypeError(f"{order.expression} is not calculated")
    return order.expression


def _parameters(index: IndexReader, order: ByScore) -> Parameters:
    return order.resolved_parameters(index.statistics.least_block_words)


# log2 of the words of the shortest stretches of a text, and by how much it grows: longer ones are 2^STEP of them.
# Of several that were tried, these took the least time for the bounds and for articles that are searched for nothing.
SHORTEST_BITS, STEP = 8, 2


class StretchPairs(NamedTuple):
    """Every two neighbouring stretches of texts, with the terms in them.

    tf: shape (n_terms, n_units), HIGHEST_FREQUENCY or more for any frequency from there on; document: the place of each
    unit's document; first: the first unit of each document. fewest: words of an element that lies in a unit, and in
    none of shorter stretches, at least.
    """

    tf: NDArray[Any]
    document: Rows
    first: Rows
    fewest: int


def of_all_sizes(tf: NDArray[np.uint16], n: Rows) -> list[StretchPairs]:
    """Return the pairs of the shortest stretches, and of longer ones up to those of the longest text.

    Args:
        tf: frequencies in the shortest stretches, shape (n_terms, n_stretches). n: their number in each document, an
            empty last one included.
    """
    fewest = fewest_words(n)
    found = [_of_two(tf, n, fewest[0])]
    for each in fewest[1:]:
        tf, n = _joined(tf, n)
        found.append(_of_two(tf, n, each))
    return found


def fewest_words(n: Rows) -> list[int]:
    """Return, by size, the fewest words of an element that fits in a pair of such stretches, but in no smaller one."""
    fewest, bits = [1], SHORTEST_BITS
    while n.max() > 2:  # one stretch, and the empty one
        n = _n_joined(n)
        fewest.append(1 + (1 << bits))
        bits += STEP
    return fewest


def _of_two(tf: NDArray[np.uint16], n: Rows, fewest: int) -> StretchPairs:
    """Return each stretch with the next one of the same document; the last ones are empty."""
    end = n.cumsum()
    of_two = tf.copy()
    of_two[:, :-1] += tf[:, 1:]
    of_two[:, end - 1] = 0
    return StretchPairs(of_two, np.arange(len(n)).repeat(n), end - n, fewest)


def _n_joined(n: Rows) -> Rows:
    """Return the number of stretches of 2^STEP stretches in each document, the empty last one included."""
    return -(-(n - 1) // (1 << STEP)) + 1


def _joined(tf: NDArray[np.uint16], n: Rows) -> tuple[NDArray[np.uint16], Rows]:
    """Return stretches of 2^STEP stretches, and their number in each document; the last ones are empty, too."""
    size, n_joined = 1 << STEP, _n_joined(n)
    end = n.cumsum()
    places = np.minimum(ranges(end - n, n_joined * size), (end - 1).repeat(n_joined * size))
    joined = tf.take(places, axis=1)
    for _ in range(STEP):
        joined = joined[:, ::2] + joined[:, 1::2]
    return np.minimum(joined, HIGHEST_FREQUENCY), n_joined
