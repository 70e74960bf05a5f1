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
from engine.query.limits import check_time, reserve
from engine.query.query import Query
from engine.retrieval.plan import ByScore
from engine.retrieval.scoring.element_scorer import TermUnits, measured
from engine.retrieval.scoring.expression_statistics import statistics_of
from engine.retrieval.scoring.term_weights import TermWeights, covered_share, term_weights
from engine.similarity.calculation import combine, total
from engine.similarity.expression import Calculated
from engine.similarity.parameters import Parameters
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
    weights = _weights(index, order, units)
    highest = _highest(index, order, units, np.ones(len(documents), np.int64), weights)
    return Highest(highest, _weights_in(index, order, units.pairs, weights, len(documents)))


def _weights(index: IndexReader, order: ByScore, units: TermUnits) -> TermWeights:
    """Return the weights of the terms in each document."""
    return term_weights(index, _calculated(order), units, _parameters(index, order), units.terms)


def _weights_in(index: IndexReader, order: ByScore, pairs: Pairs, weights: TermWeights, n_documents: int) -> FloatArray:
    """Return the sums of the weights of the terms in each document, where headings can count; its units are these."""
    if not order.heading_weight or index.profile.titles.isdisjoint(index.elements.tags):
        return np.zeros(n_documents)
    by_document = weights if weights.group is None else weights._replace(group=np.arange(n_documents))
    return np.bincount(pairs.unit, by_document.of_pairs(pairs), n_documents).astype(np.float64, copy=False)


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
        if index.statistics.term(word).document_frequency:
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
    check_time()
    terms = [word for word in query.word_counts if index.statistics.term(word).document_frequency]
    found = elements.occurrences_of_each(terms, documents)
    if not terms:
        return Highest(np.zeros(len(documents)), np.zeros(len(documents)))
    n_leaves = [of_term.n_leaves for of_term in found]
    document = np.concatenate([np.arange(len(documents)).repeat(counts) for counts in n_leaves])
    reserve(6 * len(document))
    rows = np.concatenate([of_term.rows for of_term in found])
    leaves = _Leaves(
        term=np.arange(len(terms)).repeat([len(of_term.rows) for of_term in found]),
        document=document,
        row=rows,
        word=elements.first_word(rows) - first_words.take(document),
        tf=np.concatenate([of_term.tf for of_term in found]),
    )
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
    weights = _weights(index, order, units)
    scores = _highest(index, order, units, np.concatenate(fewest_words), weights)
    highest = np.maximum.reduceat(scores, np.concatenate(first_units)).reshape(-1, len(documents)).max(axis=0)
    in_headings = _in_headings(index, leaves, len(documents))
    return Highest(highest, _weights_in(index, order, in_headings, weights, len(documents)))


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
    reserve(2 * n_terms * n_units)
    cell = leaves.term * n_units + first.take(leaves.document) + (leaves.word >> bits)
    cells = np.bincount(cell, minlength=n_terms * n_units)  # without weights, it counts in whole numbers
    repeated = np.flatnonzero(leaves.tf > 1)
    np.add.at(cells, cell.take(repeated), leaves.tf.take(repeated) - 1)
    tf = cells.reshape(n_terms, n_units)
    tf[:, :-1] += tf[:, 1:]
    tf[:, first[1:] - 1] = 0
    return _Stretches(pairs_of(tf), np.arange(len(n_words)).repeat(n_stretches), first)


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


def _highest(index: IndexReader, order: ByScore, units: TermUnits, words: Rows, weights: TermWeights) -> FloatArray:
    """Return the scores of units of some numbers of words, by the weights of the terms in their documents.

    What a unit contains of the query is no more than its share, so that what lacks terms scores less.
    """
    if not len(units.pairs.unit):
        return np.zeros(len(words))
    expression, to_score = _calculated(order), measured(units, words)
    statistics = statistics_of(index, expression, units)
    scores = total(combine(expression, to_score, statistics, _parameters(index, order)), to_score)
    if order.coverage:
        scores *= covered_share(weights, units.pairs, len(words)) ** order.coverage
    return scores


def _calculated(order: ByScore) -> Calculated:
    if not isinstance(order.expression, Calculated):
        raise TypeError(f"{order.expression} is not calculated")
    return order.expression


def _parameters(index: IndexReader, order: ByScore) -> Parameters:
    return order.resolved_parameters(index.statistics.block_words)
