"""The most that an element, or a window of sentences, can score before context: what `element_scorer` never exceeds.

Letters whose functions are monotone (`Component.is_monotone`) give the bound themselves: a unit that contains no fewer
occurrences in no more words, with no smaller term weights, scores no less.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import places_of, ranges
from engine.index.reader import IndexReader
from engine.index.term_stretches import HIGHEST_FREQUENCY
from engine.query.limits import check_time, reserve
from engine.query.query import Query
from engine.retrieval.plan import ByScore
from engine.retrieval.scoring.expression_statistics import statistics_of
from engine.retrieval.scoring.term_units import TermUnits
from engine.retrieval.scoring.term_weights import TermWeights, term_weights
from engine.similarity.calculation import as_product
from engine.similarity.expression import Calculated
from engine.similarity.parameters import Parameters
from engine.similarity.registry import ELEMENTS, OF_DOCUMENT, TABLES, TERM_WEIGHT
from engine.similarity.term_frequencies import joined, pairs_of
from engine.similarity.values import FloatArray, ratio

Rows = NDArray[np.int64]

# log2 of the words of the shortest stretches of a text, and by how much it grows. Of several that were tried, these
# took the least time for the bounds and for articles that are searched for nothing.
SHORTEST_BITS, STEP = 8, 2
# Relative rounding error of a score and of its bound, far above what they can have.
ROUNDING = 1e-9


def has_bounds(query: Query, order: ByScore) -> bool:
    """Return whether the scores of elements have bounds: all letters are monotone, and no phrase is a term."""
    expression = order.expression
    if not isinstance(expression, Calculated) or expression.context != ELEMENTS or not expression.is_monotone:
        return False
    weighs_inside_articles = TABLES[TERM_WEIGHT][expression.term_weight].counted in ("", OF_DOCUMENT)
    return not (weighs_inside_articles and any(term.is_phrase for term in query.wanted))


class Highest(NamedTuple):
    """The most that the parts of a score can be in each of some documents, shape (n,).

    alone: the score of an element or a window before context. of_headings: the weight of the query in headings.
    """

    alone: FloatArray
    of_headings: FloatArray


def highest_by_frequencies(index: IndexReader, query: Query, order: ByScore, documents: Rows) -> Highest:
    """Return the most that answers in each document (ascending) can score, without reading leaves.

    It is the score of one word in which all occurrences of the terms were together.
    """
    terms = _known_terms(index, query)
    tf = np.zeros((len(terms), len(documents)), np.int64)
    for number, word in enumerate(terms):
        postings = index.postings(word)
        if not len(postings.documents):  # other shards contain the word
            continue
        place = postings.documents.searchsorted(documents)
        holding = places_of(postings.documents.take(place, mode="clip") == documents)
        tf[number, holding] = postings.tf.take(place.take(holding))
    if not terms:
        return Highest(np.zeros(len(documents)), np.zeros(len(documents)))
    n_leaves = [index.elements.fewest_leaves(word, documents) for word in terms]
    units = _documents_as_units(index, query, terms, documents, n_leaves)
    one_word = _Units(tf, units.document, units.document, fewest=1)
    weights = _weights(index, order, units)
    return Highest(_highest(index, order, units, weights, [one_word]), _of_headings(index, order, tf > 0, weights))


def highest_by_places(index: IndexReader, query: Query, order: ByScore, documents: Rows) -> Highest:
    """Return the same, closer, by where in the documents the terms occur.

    A text is cut into stretches of 2^bits words, for several numbers of bits. An element of at most as many words lies
    in two neighbouring stretches, and has more words than the next shorter stretches, or lies in those. The words of a
    leaf count where it begins: an element contains all of a leaf or nothing, and a window no more than all. A window
    that spans leaves lies in the stretches of all of these leaves, but can be much shorter. Headings contain no terms
    but those of leaves with the tag of a heading, or with a tag that occurs inside headings.
    """
    terms = _known_terms(index, query)
    if not terms:
        return Highest(np.zeros(len(documents)), np.zeros(len(documents)))
    tf, n, n_leaves, in_headings = index.stretches.of_each(terms, documents, SHORTEST_BITS)
    spans_leaves = order.passages and order.across_elements and order.max_sentences > 1
    found, bits = [_of_two(tf, n, 1)], SHORTEST_BITS
    while n.max() > 2:  # one stretch, and the empty one
        tf, n = _joined(tf, n)
        found.append(_of_two(tf, n, 1 if spans_leaves else 1 + (1 << bits)))
        bits += STEP
    units = _documents_as_units(index, query, terms, documents, list(n_leaves))
    weights = _weights(index, order, units)
    return Highest(_highest(index, order, units, weights, found), _of_headings(index, order, in_headings, weights))


def _known_terms(index: IndexReader, query: Query) -> list[str]:
    """Return the words of the query that the collection contains."""
    return [word for word in query.word_counts if index.statistics.term(word).document_frequency]


def _documents_as_units(
    index: IndexReader, query: Query, terms: Sequence[str], documents: Rows, n_leaves: Sequence[Rows]
) -> TermUnits:
    """Return each document as a unit, for the statistics of terms in its parts; no terms in it are needed for these."""
    query_tf = np.array([query.word_counts[word] for word in terms], np.int64)
    roots, every = index.elements.root(documents), np.arange(len(documents))
    return TermUnits(roots, documents, every, joined([]), terms, query_tf, n_leaves)


def _weights(index: IndexReader, order: ByScore, units: TermUnits) -> TermWeights:
    """Return the weights of the terms in each document."""
    return term_weights(index, _calculated(order), units, _parameters(index, order), units.terms)


def _of_headings(index: IndexReader, order: ByScore, is_in: NDArray[np.bool_], weights: TermWeights) -> FloatArray:
    """Return the sums of the weights of the terms that are in each document, where headings can count.

    Args:
        is_in: shape (n_terms, n_documents).
    """
    if not order.heading_weight or index.profile.entitling.isdisjoint(index.elements.tags):
        return np.zeros(is_in.shape[1])
    found: FloatArray = (weights.of_terms * is_in).sum(axis=0)
    return found


class _Units(NamedTuple):
    """Every two neighbouring stretches of texts, with the terms in them.

    tf: shape (n_terms, n_units), HIGHEST_FREQUENCY or more for any frequency from there on; document: the place of each
    unit's document; first: the first unit of each document. fewest: words of an element that lies in a unit, and in
    none of shorter stretches, at least.
    """

    tf: NDArray[Any]
    document: Rows
    first: Rows
    fewest: int


def _of_two(tf: NDArray[np.uint16], n: Rows, fewest: int) -> _Units:
    """Return each stretch with the next one of the same document; the last ones are empty."""
    end = n.cumsum()
    of_two = tf.copy()
    of_two[:, :-1] += tf[:, 1:]
    of_two[:, end - 1] = 0
    return _Units(of_two, np.arange(len(n)).repeat(n), end - n, fewest)


def _joined(tf: NDArray[np.uint16], n: Rows) -> tuple[NDArray[np.uint16], Rows]:
    """Return stretches of 2^STEP stretches, and their number in each document; the last ones are empty, too."""
    size = 1 << STEP
    n_joined = -(-(n - 1) // size) + 1
    end = n.cumsum()
    places = np.minimum(ranges(end - n, n_joined * size), (end - 1).repeat(n_joined * size))
    joined = tf.take(places, axis=1)
    for _ in range(STEP):
        joined = joined[:, ::2] + joined[:, 1::2]
    return np.minimum(joined, HIGHEST_FREQUENCY), n_joined


def _highest(
    index: IndexReader, order: ByScore, units: TermUnits, weights: TermWeights, stretches: Sequence[_Units]
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
    return order.resolved_parameters(index.statistics.block_words)
