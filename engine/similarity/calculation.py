"""Calculated scores: the eight letters of a Q-expression applied to all units at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import numpy as np

from engine.arrays import FloatArray, Numbers
from engine.query_limits import check_time, reserve
from engine.records import NamedTuple
from engine.similarity.expression import Calculated
from engine.similarity.parameters import Parameters, with_defaults
from engine.similarity.registry import COMBINING, FREQUENCY, LENGTH, METHOD, QUERY, TABLES, TERM_WEIGHT
from engine.similarity.values import Combined, FormulaStatistics, Measured, Occurring, Pairs, Units, Weighted
from engine.threads import cached_property


def calculate(
    expression: Calculated, units: Units, statistics: FormulaStatistics, parameters: Parameters | None = None
) -> FloatArray:
    """Return the score of each unit, shape (n_units,), float64; parts are added in term order.

    Parameters that are not given have their defaults; where a formula is undefined, its value is 0.
    """
    return total(combine(expression, units, statistics, parameters), units)


def total(combined: Combined, units: Units) -> FloatArray:
    """Return the scores, shape (n_units,), from their parts."""
    sums = np.bincount(units.pairs.unit, combined.parts, len(units.words))
    score: FloatArray = sums * combined.factor + combined.addend
    return score


def combine(
    expression: Calculated,
    units: Units,
    statistics: FormulaStatistics,
    parameters: Parameters | None = None,
    weights: tuple[FloatArray, Numbers | None] | None = None,
) -> Combined:
    """Return the parts of the scores of units: score = factor x the sum of the terms' parts + addend.

    A term that is a share of a word has that share of a part.

    Args:
        weights: what `term_weights` returns, where it is known, times the shares.
    """
    given = with_defaults(expression.parameters, parameters)
    side = _UnitSide(expression, units, statistics, given)
    component = TABLES[COMBINING][expression.combining]
    function = component.function_of(expression.context)
    n_units = len(units.words)
    w_t, group = term_weights(expression, units, statistics, given) if weights is None else weights
    query_tf = np.maximum(units.query_tf, 1.0)
    w_q = query_weights(expression, query_tf, statistics, w_t, given)
    pairs = units.pairs
    check_time()
    reserve(10 * len(pairs.unit) + 4 * n_units)
    place = pairs.term if group is None else pairs.term * w_t.shape[1] + group.take(pairs.unit)
    w_q_of_pairs = w_q.ravel().take(place)
    reads, unread = component.reads, units.words
    length_q = query_length(expression, query_tf, w_q, given) if "length_q" in reads else unread
    combined: Combined = function(
        Weighted(
            w_q=w_q_of_pairs,
            w_u=unit_weights(expression, side.occurring, w_t.ravel().take(place), given),
            query_tf=query_tf.take(pairs.term) if "query_tf" in reads else w_q_of_pairs,
            n_matched=np.bincount(pairs.unit, minlength=n_units).astype(np.float64) if "n_matched" in reads else unread,
            n_query=len(units.query_tf),
            length_q=length_q if group is None or length_q is unread else length_q[group],
            length_u=side.length if "length_u" in reads else unread,
        ),
        given,
    )
    if weights is None and units.query_tf.min(initial=1.0) < 1:
        combined = combined._replace(parts=combined.parts * shares_of(units.query_tf).take(pairs.term))
    return combined


def shares_of(query_tf: FloatArray) -> FloatArray:
    """Return the share of a word that each term of a query is: 1 of those that are words."""
    return np.minimum(query_tf, 1.0)


class Product(NamedTuple):
    """Scores as products: of_units[u, g] x the sum over the terms t of of_terms[t, g] x of_frequencies[u, f of t].

    Units u are numbers of words, f is the place of a frequency among some, 0 without the term, g a group of units with
    equal term weights. Shapes (n_terms, n_groups), (n_units, n_frequencies + 1), (n_units, n_groups).
    """

    of_terms: FloatArray
    of_frequencies: FloatArray
    of_units: FloatArray


def as_product(
    expression: Calculated,
    words: Numbers,
    frequencies: Numbers,
    query_tf: FloatArray,
    w_t: FloatArray,
    statistics: FormulaStatistics,
    parameters: Parameters | None = None,
) -> Product:
    """Return the scores of units of given numbers of words by an expression of monotone letters.

    Args:
        words: shape (n_units,). frequencies: of any term in a unit, without 0. w_t: the term weights, shape (n_terms,
            n_groups), 0 where no unit of a group contains a term, times the shares of words that terms are.
    """
    shares = shares_of(query_tf)[:, np.newaxis]
    query_tf, w_t = np.maximum(query_tf, 1.0), w_t / shares
    given = with_defaults(expression.parameters, parameters)
    n, n_frequencies = len(words), len(frequencies)
    unit = np.arange(n).repeat(n_frequencies)
    pairs = Pairs(np.zeros(len(unit), np.int64), unit, np.tile(frequencies, n))
    units = Units(pairs, query_tf, words.astype(np.float64), _not_monotone, _not_monotone, _not_monotone)
    side = _UnitSide(expression, units, statistics, given)
    w_q = query_weights(expression, query_tf, statistics, w_t, given)
    combining, n_groups = TABLES[COMBINING][expression.combining], w_t.shape[1]
    length_q = length_u = none = np.zeros(n * n_groups)
    if "length_q" in combining.reads:
        length_q = np.tile(query_length(expression, query_tf, w_q, given), n)
    if "length_u" in combining.reads:
        length_u = side.length.repeat(n_groups)
    combined = combining.function_of(expression.context)(
        Weighted(none, none, none, none, len(query_tf), length_q, length_u), given
    )
    r = TABLES[FREQUENCY][expression.unit.frequency].function(side.occurring, given)
    return Product(
        of_terms=shares * w_q * TABLES[METHOD][expression.unit.method].function(np.ones(w_t.shape), w_t),
        of_frequencies=np.concatenate([np.zeros((n, 1)), r.reshape(n, n_frequencies)], axis=1),
        of_units=combined.factor.reshape(n, n_groups),
    )


def _not_monotone(*_: object) -> NoReturn:
    raise TypeError("monotone letters read nothing that depends on all terms of a unit")


def term_weights(
    expression: Calculated, units: Units, statistics: FormulaStatistics, parameters: Parameters
) -> tuple[FloatArray, Numbers | None]:
    """Return w_t, shape (n_terms, n_groups), and the group of each unit; 0 if no unit contains a term."""
    component = TABLES[TERM_WEIGHT][expression.term_weight]
    if not component.counted:
        return np.ones((len(units.query_tf), 1)), None
    counts = statistics.counts(component.counted)
    return np.where(counts.n_t > 0, component.function(counts, parameters), 0.0), counts.group


def unit_weights(expression: Calculated, occurring: Occurring, w_t: FloatArray, parameters: Parameters) -> FloatArray:
    """Return w_d,t of pairs of term and unit."""
    r = TABLES[FREQUENCY][expression.unit.frequency].function(occurring, parameters)
    weights: FloatArray = TABLES[METHOD][expression.unit.method].function(r, w_t)
    return weights


def query_weights(
    expression: Calculated, query_tf: FloatArray, statistics: FormulaStatistics, w_t: FloatArray, parameters: Parameters
) -> FloatArray:
    """Return w_q,t, of the shape of w_t."""
    component, f = TABLES[FREQUENCY][expression.query.frequency], query_tf
    n_words = f.sum(keepdims=True)
    occurring = Occurring(
        f=f,
        occurrences=statistics.occurrences().astype(np.float64) if "occurrences" in component.reads else f,
        words=n_words,
        mean_words=n_words,
        distinct=np.array([float(len(f))]),
        largest=f.max(initial=0, keepdims=True),
        length=np.ones(1),
    )
    r = component.function_of(QUERY)(occurring, parameters)
    weights: FloatArray = TABLES[METHOD][expression.query.method].function(r[:, np.newaxis], w_t)
    return weights + np.zeros(w_t.shape)


def query_length(expression: Calculated, query_tf: FloatArray, w_q: FloatArray, parameters: Parameters) -> FloatArray:
    """Return W_q, shape (n_groups,): one for each group of units with equal term weights."""
    vector = np.sqrt((w_q**2).sum(axis=0))
    words = np.full(len(vector), float(query_tf.sum()))
    distinct = np.full(len(vector), float(len(query_tf)))
    measured = Measured(words, words, distinct, distinct, vector, vector)
    length: FloatArray = TABLES[LENGTH][expression.query.length].function_of(QUERY)(measured, parameters)
    return length


class _UnitSide:
    """Measures of the units, computed only if a letter of the expression reads them."""

    def __init__(
        self, expression: Calculated, units: Units, statistics: FormulaStatistics, parameters: Parameters
    ) -> None:
        self.expression, self.units, self.statistics, self.parameters = expression, units, statistics, parameters

    @cached_property
    def length(self) -> FloatArray:
        """W_d."""
        component = TABLES[LENGTH][self.expression.unit.length]
        words = self.units.words
        values = {name: self._measure(name) if name in component.reads else words for name in Measured._fields}
        length: FloatArray = component.function(Measured(**values), self.parameters)
        return length

    @cached_property
    def occurring(self) -> Occurring:
        """Input of the relative term frequency."""
        reads = TABLES[FREQUENCY][self.expression.unit.frequency].reads
        pairs = self.units.pairs
        words = self.units.words.take(pairs.unit)
        values = {
            name: self._measure(name).take(pairs.unit) if name in reads else words for name in Occurring._fields[2:]
        }
        occurrences = words
        if "occurrences" in reads:
            occurrences = self.statistics.occurrences()[pairs.term].astype(np.float64)
        return Occurring(f=pairs.tf.astype(np.float64), occurrences=occurrences, **values)

    def _measure(self, name: str) -> FloatArray:
        """Return a measure of each unit."""
        units, statistics = self.units, self.statistics
        measures: dict[str, Callable[[], FloatArray | float]] = {
            "length": lambda: self.length,
            "distinct": units.distinct,
            "largest": units.largest,
            "vector": lambda: units.vector(self.expression, self.parameters),
            "mean_words": statistics.mean_words,
            "mean_distinct": statistics.mean_distinct,
            "mean_vector": lambda: statistics.mean_vector(self.expression, self.parameters),
        }
        return np.broadcast_to(np.asarray(measures[name](), np.float64), units.words.shape)
