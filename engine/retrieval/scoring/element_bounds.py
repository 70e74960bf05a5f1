"""The most that an element, or a window of sentences, can score before context: what `element_scorer` never exceeds.

Letters whose functions are monotone (`Component.is_monotone`) give the bound themselves: a unit that contains no fewer
occurrences in no more words, with no smaller term weights, scores no less.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import distinct
from engine.index.reader import IndexReader
from engine.query.limits import check_time, hold
from engine.query.query import Query
from engine.retrieval.plan import ByScore
from engine.retrieval.scoring.element_scorer import TermUnits, measured
from engine.retrieval.scoring.expression_scores import statistics_of
from engine.retrieval.scoring.term_weights import term_weights
from engine.similarity.calculation import combine, total
from engine.similarity.expression import Calculated
from engine.similarity.registry import TABLES, TERM_WEIGHT
from engine.similarity.term_frequencies import joined, pairs_of
from engine.similarity.values import FloatArray, Pairs

Rows = NDArray[np.int64]

# log2 of the words of the shortest stretches of a text, and by how much it grows. Of several that were tried, these
# took the least time for the bounds and for articles that are searched for nothing.
SHORTEST_BITS, STEP = 8, 2


def has_bounds(query: Query, order: ByScore) -> bool:
    """Return whether the scores of elements have bounds: all letters are monotone, and no phrase is a term."""
    expression = order.expression
    if not isinstance(expression, Calculated) or expression.context != "E" or not expression.is_monotone:
        return False
    weighs_inside_articles = TABLES[TERM_WEIGHT][expression.term_weight].population in ("", "B")
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
    units = _units_of_documents(index, query, documents)
    return Highest(_highest(index, order, units, np.ones(len(documents), np.int64)), _weights_in(index, order, units))


def _weights_in(index: IndexReader, order: ByScore, units: TermUnits) -> FloatArray:
    """Return the sums of the weights of the terms in each unit, where headings can count; a unit is a document."""
    n_units, expression = len(units.rows), order.expression
    if not order.heading_weight or index.profile.titles.isdisjoint(index.elements.tags):
        return np.zeros(n_units)
    if not isinstance(expression, Calculated):
        raise TypeError(f"{expression} is not calculated")
    given = order.resolved_parameters(index.statistics.block_words)
    weights = term_weights(index, expression, units, given, units.terms)
    sums: FloatArray = np.bincount(units.pairs.unit, weights.of_pairs(units.pairs), n_units).astype(np.float64)
    return sums


def _units_of_documents(index: IndexReader, query: Query, documents: Rows) -> TermUnits:
    """Return each document as one unit, with at most as many leaves for each term as there are."""
    terms: list[str] = []
    found: list[Pairs] = []
    for word in query.word_counts:
        postings = index.postings(word)
        if len(postings.documents):
            place = postings.documents.searchsorted(documents)
            holding = np.flatnonzero(postings.documents.take(place, mode="clip") == documents)
            found.append(Pairs(np.full(len(holding), len(terms)), holding, postings.tf.take(place.take(holding))))
            terms.append(word)
    n_leaves = [index.elements.fewest_leaves(word, documents) for word in terms]
    return _units(index, query, terms, documents, np.arange(len(documents)), joined(found), n_leaves)


def highest_by_places(index: IndexReader, query: Query, order: ByScore, documents: Rows) -> Highest:
    """Return the same, closer, by where in the documents the terms occur; leaves are read.

    A text is cut into stretches of 2^bits words, for several numbers of bits. An element of at most as many words lies
    in two neighbouring stretches, and has more words than the next shorter stretches, or lies in those. The words of a
    leaf count where it begins: an element contains all of a leaf or nothing, and a window no more than all. A window
    that spans leaves lies in the stretches of all of these leaves, but can be much shorter. Headings contain no terms
    but those of leaves with the tag of a heading, or with a tag that occurs inside headings.
    """
    elements = index.elements
    roots = elements.root(documents)
    first_words, n_words = elements.first_word(roots), elements.n_words(roots)
    terms: list[str] = []
    found: list[_Leaves] = []
    n_leaves: list[Rows] = []
    words_of_query = list(query.word_counts)
    check_time()
    for word, of_term in zip(words_of_query, elements.occurrences_of_each(words_of_query, documents), strict=True):
        if len(of_term.rows):
            hold(6 * len(of_term.rows))
            document = np.arange(len(documents)).repeat(of_term.n_leaves)
            words = elements.first_word(of_term.rows) - first_words.take(document)
            numbers = np.full(len(document), len(terms))
            found.append(_Leaves(numbers, document, of_term.rows, words, of_term.tf))
            n_leaves.append(of_term.n_leaves)
            terms.append(word)
    if not terms:
        return Highest(np.zeros(len(documents)), np.zeros(len(documents)))
    leaves = _Leaves(*map(np.concatenate, zip(*found, strict=True)))
    pairs: list[Pairs] = []
    document_of: list[Rows] = []
    fewest_words: list[Rows] = []
    first_units: list[Rows] = []
    n_units, bits, is_longest = 0, SHORTEST_BITS, False
    spans_leaves = order.passages and order.across_elements and order.max_sentences > 1
    while not is_longest:
        stretches = _stretches(leaves, len(terms), n_words, bits)
        pairs.append(stretches.pairs._replace(unit=stretches.pairs.unit + n_units))
        document_of.append(stretches.document)
        fewest = 1 if bits == SHORTEST_BITS or spans_leaves else 1 + (1 << (bits - STEP))
        fewest_words.append(np.full(len(stretches.document), fewest))
        first_units.append(stretches.first + n_units)
        n_units += len(stretches.document)
        is_longest = (1 << bits) >= n_words.max()
        bits += STEP
    units = _units(index, query, terms, documents, np.concatenate(document_of), joined(pairs), n_leaves)
    scores = _highest(index, order, units, np.concatenate(fewest_words))
    highest = np.maximum.reduceat(scores, np.concatenate(first_units))
    in_headings = _in_headings(index, leaves, len(documents))
    of_headings = _units(index, query, terms, documents, np.arange(len(documents)), in_headings, n_leaves)
    return Highest(highest.reshape(-1, len(documents)).max(axis=0), _weights_in(index, order, of_headings))


def _in_headings(index: IndexReader, leaves: _Leaves, n_documents: int) -> Pairs:
    """Return the terms in leaves that can be, or be in, headings, with their documents."""
    is_heading = index.elements.tags_in(index.profile.titles).take(index.elements.tag(leaves.row))
    keys = distinct((leaves.term * n_documents + leaves.document).compress(is_heading))
    return Pairs(keys // n_documents, keys % n_documents, np.ones(len(keys), np.int64))


class _Leaves(NamedTuple):
    """Leaves with a term: its number, the place of their document, row, first word in it, frequency of the term."""

    term: Rows
    document: Rows
    row: Rows
    word: Rows
    tf: Rows


class _Stretches(NamedTuple):
    """All two neighbouring stretches of a text ("units") with the terms in them.

    document: the place of each unit's document; first: the first unit of each document.
    """

    pairs: Pairs
    document: Rows
    first: Rows


def _stretches(leaves: _Leaves, n_terms: int, n_words: Rows, bits: int) -> _Stretches:
    """Return the stretches of 2^bits words of texts of some numbers of words."""
    n_stretches = (n_words >> bits) + 2  # the last one of a document is empty: it separates it from the next one
    first = n_stretches.cumsum() - n_stretches
    n_units = int(n_stretches.sum())
    hold(2 * n_terms * n_units)
    unit = first.take(leaves.document) + (leaves.word >> bits)
    tf = np.bincount(leaves.term * n_units + unit, leaves.tf, n_terms * n_units).reshape(n_terms, n_units)
    tf[:, :-1] += tf[:, 1:].copy()
    tf[:, first[1:] - 1] = 0
    return _Stretches(pairs_of(tf.astype(np.int64)), np.arange(len(n_words)).repeat(n_stretches), first)


def _units(
    index: IndexReader,
    query: Query,
    terms: Sequence[str],
    documents: Rows,
    document: Rows,
    pairs: Pairs,
    n_leaves: Sequence[Rows],
) -> TermUnits:
    query_tf = np.array([query.word_counts[word] for word in terms], np.int64)
    roots = index.elements.root(documents).take(document)
    return TermUnits(roots, documents, document, pairs, terms, query_tf, n_leaves)


def _highest(index: IndexReader, order: ByScore, units: TermUnits, words: Rows) -> FloatArray:
    """Return the scores of units of some numbers of words."""
    expression = order.expression
    if not isinstance(expression, Calculated):
        raise TypeError(f"{expression} is not calculated")
    if not len(units.pairs.unit):
        return np.zeros(len(words))
    given = order.resolved_parameters(index.statistics.block_words)
    to_score = measured(units, words)
    return total(combine(expression, to_score, statistics_of(index, expression, units), given), to_score)
