"""Vector norms of units: the root of the sum of the squared weights of all their terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from engine.arrays import FloatArray
from engine.index.statistics.collection_statistics import CollectionStatistics
from engine.index.statistics.unit_statistics import Unit
from engine.index.statistics.vector_statistics import TermPairs, VocabularySlice
from engine.similarity.calculation import unit_weights
from engine.similarity.expression import Calculated
from engine.similarity.parameters import Parameters
from engine.similarity.registry import (
    FREQUENCY,
    METHOD,
    OF_DOCUMENT,
    OF_DOCUMENT_AND_ALL,
    OF_TAG,
    TABLES,
    TERM_WEIGHT,
    WORDS,
    Counted,
)
from engine.similarity.values import Counts, Occurring

# unit of each context of an expression, and of each kind of unit that a term weight counts
UNITS: dict[str, Unit] = {"D": "document", "T": "leaf", "P": "leaf", "E": "element"}


def vector_lengths(expression: Calculated, statistics: CollectionStatistics, parameters: Parameters) -> FloatArray:
    """Return √(Σ w_d,t²), over all terms, of each unit of the expression's context, by row of the element store."""
    letters = expression.term_weight + expression.unit.method
    frequency, weight = TABLES[FREQUENCY][expression.unit.frequency], TABLES[TERM_WEIGHT][expression.term_weight]
    named: Mapping[str, object] = parameters
    chosen = tuple((name, named[name]) for name in (*frequency.parameters, *weight.parameters))
    key = ("norm", expression.context, letters, frequency.letter, chosen)
    return statistics.vectors.column(key, lambda: _vector_lengths(expression, statistics, parameters))


def _vector_lengths(expression: Calculated, statistics: CollectionStatistics, parameters: Parameters) -> FloatArray:
    unit, n_rows = UNITS[expression.context], statistics.units.n_rows
    squares = np.zeros(n_rows)
    for vocabulary in statistics.vectors.slices(unit):
        pairs = vocabulary.pairs(unit)
        occurring = _occurring(expression, statistics, vocabulary, pairs)
        weights = unit_weights(
            expression, occurring, _term_weights(expression, statistics, vocabulary, pairs, parameters), parameters
        )
        squares += np.bincount(pairs.row, weights**2, n_rows)
    return np.sqrt(squares)


def _occurring(
    expression: Calculated, statistics: CollectionStatistics, vocabulary: VocabularySlice, pairs: TermPairs
) -> Occurring:
    unit, reads = UNITS[expression.context], TABLES[FREQUENCY][expression.unit.frequency].reads
    words = statistics.units.words(unit)[pairs.row]
    columns: dict[str, Callable[[], FloatArray]] = {
        "mean_words": lambda: np.full(len(words), statistics.units.mean_words(unit)),
        "distinct": lambda: statistics.vectors.distinct(unit)[pairs.row],
        "largest": lambda: statistics.vectors.largest(unit)[pairs.row],
    }
    values = {name: columns[name]() if name in reads else words for name in Occurring._fields[3:-1]}
    return Occurring(
        f=pairs.tf.astype(np.float64),
        occurrences=vocabulary.collection_frequencies[pairs.term],
        words=words,
        length=words,
        **values,
    )


def _term_weights(
    expression: Calculated,
    statistics: CollectionStatistics,
    vocabulary: VocabularySlice,
    pairs: TermPairs,
    parameters: Parameters,
) -> FloatArray:
    """Return w_t of each pair."""
    component = TABLES[TERM_WEIGHT][expression.term_weight]
    if not component.counted or "w_t" not in TABLES[METHOD][expression.unit.method].reads:
        return np.ones(len(pairs.term))
    counts = _counts(component.counted, statistics, vocabulary, pairs)
    weights: FloatArray = component.function(counts, parameters)
    return weights


def _counts(
    counted: Counted, statistics: CollectionStatistics, vocabulary: VocabularySlice, pairs: TermPairs
) -> Counts:
    """Return N and N_t of each pair."""
    units = statistics.units
    if counted == OF_DOCUMENT_AND_ALL:
        inside, everywhere = (_counts(which, statistics, vocabulary, pairs) for which in (OF_DOCUMENT, "P"))
        return inside._replace(wider=everywhere)
    if counted == WORDS:
        return Counts(float(statistics.n_tokens), vocabulary.collection_frequencies[pairs.term])
    if counted in UNITS:
        unit = UNITS[counted]
        n_t = vocabulary.pairs(unit).n_t(vocabulary.n_terms).astype(np.float64)
        return Counts(units.n(unit), n_t[pairs.term], statistics.vectors.n_pairs(unit))
    of_tags = counted == OF_TAG
    group = units.tags if of_tags else units.documents
    size = units.n_elements_of_tag if of_tags else units.n_leaves_of_document
    members = vocabulary.pairs("element" if of_tags else "leaf")
    keys, n = np.unique(members.term * len(size) + group[members.row], return_counts=True)
    wanted = pairs.term * len(size) + group[pairs.row]
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    n_t = np.where(keys[place] == wanted, n[place], 0).astype(np.float64)
    return Counts(size[group[pairs.row]], n_t)
