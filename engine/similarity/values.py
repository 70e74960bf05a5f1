"""Inputs and outputs of the functions of the framework: plain float64 values.

Where a formula is undefined, its value is 0: a division by 0 (`ratio`), a logarithm of a number <= 0 (`ln`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from engine.arrays import FloatArray, Numbers
from engine.records import NamedTuple, dataclass
from engine.similarity.registry import Counted


def ln(x: FloatArray) -> FloatArray:
    """Return natural logarithms, 0 for numbers that are not positive."""
    x = np.asarray(x, np.float64)
    if x.size and x.min() > 0:
        return np.log(x)
    return np.log(x, out=np.zeros(x.shape), where=x > 0)


def ratio(a: FloatArray | float, b: FloatArray | float) -> FloatArray:
    """Return a / b, 0 where b is 0."""
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if b.all():
        return np.asarray(a / b)
    a, b = np.broadcast_arrays(a, b)
    return np.divide(a, b, out=np.zeros(a.shape), where=b != 0)


class Counts(NamedTuple):
    """N and N_t of query terms, or those of several groups of units; they broadcast against each other.

    n: N, the number of units or words that are counted; n_t: N_t, how many of these contain the term; total: the sum of
    N_t over all terms of the collection (read by the multinomial letters only); group: the group of each unit if there
    are several. wider: the counts of more units, these included, for a letter that reads two.
    """

    n: FloatArray | float
    n_t: FloatArray
    total: float = math.nan
    group: Numbers | None = None
    wider: Counts | None = None


class Occurring(NamedTuple):
    """Input of relative term frequencies: one entry for each pair of term and unit, or query term, or one for all."""

    f: FloatArray  # f_d,t: occurrences of the term in the unit
    occurrences: FloatArray  # F_t: in the collection
    words: FloatArray  # f_d: words of the unit
    mean_words: FloatArray
    distinct: FloatArray  # |T_d|: distinct terms of the unit
    largest: FloatArray  # f^m_d: largest f_d,t of any term
    length: FloatArray  # W_d


class Measured(NamedTuple):
    """Input of lengths: one entry for each unit, or one for the query."""

    words: FloatArray
    mean_words: FloatArray
    distinct: FloatArray
    mean_distinct: FloatArray
    vector: FloatArray  # square root of the sum over all terms of w_d,t squared
    mean_vector: FloatArray


class Weighted(NamedTuple):
    """Input of combining functions: one entry for each pair of term and unit, or for each unit.

    query_tf, n_matched, length_q and length_u are computed for letters that say that they read them; others find their
    size.
    """

    w_q: FloatArray  # pairs
    w_u: FloatArray  # pairs
    query_tf: FloatArray  # pairs
    n_matched: FloatArray  # units: distinct query terms that a unit contains
    n_query: int  # distinct query terms
    length_q: FloatArray  # units, or one for all
    length_u: FloatArray  # units


class Combined(NamedTuple):
    """The parts of scores: factor x the sum of the parts of the terms + addend."""

    parts: FloatArray  # pairs
    factor: FloatArray  # units
    addend: FloatArray  # units


class Pairs(NamedTuple):
    """Pairs of a term and a unit that contains it, by term, then by unit; all int64."""

    term: Numbers  # index among the sorted terms
    unit: Numbers  # index among the units
    tf: Numbers


@dataclass(frozen=True)
class Units:
    """The units to score; each contains at least one query term.

    Measures that need all terms of a unit are functions, called only if a letter reads them.

    pairs: the terms of the query in the units; query_tf: f_q,t of each term, shape (n_terms,), below 1 the share of a
    word that it is; words: f_d of each unit, shape (n_units,), like the results of the functions.
    vector: takes the expression and the parameters.
    """

    pairs: Pairs
    query_tf: FloatArray
    words: FloatArray
    distinct: Callable[[], FloatArray]
    largest: Callable[[], FloatArray]
    vector: Callable[[Any, Any], FloatArray]


@dataclass(frozen=True)
class FormulaStatistics:
    """Collection statistics that the formulas read.

    counts: by what is counted: N is a number, or one per group; N_t has shape (n_terms, n_groups). For
        words, N is |C| and N_t is F_t.
    occurrences: returns F_t of each term, shape (n_terms,).
    Means are over all units of the context.
    """

    counts: Callable[[Counted], Counts]
    occurrences: Callable[[], Numbers]
    mean_words: Callable[[], float]
    mean_distinct: Callable[[], float]
    mean_vector: Callable[[Any, Any], float]
