"""What the functions of the framework read: plain values, float64 throughout.

Where a formula is not defined, as a division by 0 or the logarithm of nothing positive, it is 0: `ratio` and `ln`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Numbers = NDArray[np.int64]

POPULATIONS = {
    "D": "documents",
    "P": "text nodes",
    "E": "element nodes",
    "N": "element nodes of the same name",
    "B": "text nodes of the same document",
    "C": "words",
}


def ln(x: FloatArray) -> FloatArray:
    """Return natural logarithms, 0 of what is not positive."""
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
    """What populations know of terms; N and N_t broadcast against one another.

    n: N, the members; n_t: N_t, those that hold the term; total: the sum of N_t over all terms of the collection (read
    by the multinomial letters only); group: where there are several populations, that of each unit.
    """

    n: FloatArray | float
    n_t: FloatArray
    total: float = math.nan
    group: Numbers | None = None


class Occurring(NamedTuple):
    """Terms in units, or in the query: what a relative term frequency reads, one entry a term and unit."""

    f: FloatArray  # f_d,t: occurrences of the term in the unit
    occurrences: FloatArray  # F_t: in the collection
    words: FloatArray  # f_d: words of the unit
    mean_words: FloatArray
    distinct: FloatArray  # |T_d|: distinct terms of the unit
    largest: FloatArray  # f^m_d: largest f_d,t of any term
    length: FloatArray  # W_d


class Measured(NamedTuple):
    """Units, or the query: what a length reads, one entry a unit."""

    words: FloatArray
    mean_words: FloatArray
    distinct: FloatArray
    mean_distinct: FloatArray
    vector: FloatArray  # square root of the sum over all terms of w_d,t squared
    mean_vector: FloatArray


class Weighted(NamedTuple):
    """What a combining function reads: one entry a pair of term and unit, or a unit."""

    w_q: FloatArray  # pairs
    w_u: FloatArray  # pairs
    query_tf: FloatArray  # pairs
    n_held: FloatArray  # units: distinct query terms that a unit holds
    n_query: int  # distinct query terms
    length_q: FloatArray  # units, or one for all
    length_u: FloatArray  # units


class Combined(NamedTuple):
    """A score taken apart: factor times the sum of the parts of the terms, and the addend."""

    parts: FloatArray  # pairs
    factor: FloatArray  # units
    addend: FloatArray  # units


class Pairs(NamedTuple):
    """Terms in units: one entry a pair, by term, then by unit; all int64."""

    term: Numbers  # place of the term among the sorted terms
    unit: Numbers  # place of the unit
    tf: Numbers


@dataclass(frozen=True)
class Units:
    """What is to be scored: units that hold at least one term of the query.

    Lengths that need all terms of a unit are functions, called only where a letter asks for them.

    pairs: the terms of the query in the units; query_tf: f_q,t of each term, shape (n_terms,);
    words: f_d of each unit, shape (n_units,), as of all that the functions return.
    vector: called with the expression and the parameters.
    """

    pairs: Pairs
    query_tf: Numbers
    words: FloatArray
    distinct: Callable[[], FloatArray]
    largest: Callable[[], FloatArray]
    vector: Callable[[Any, Any], FloatArray]


@dataclass(frozen=True)
class Statistics:
    """What is known of the collection.

    counts: of the populations of POPULATIONS: N is a number, or one a group; N_t has shape (n_terms, n_groups). Of
        words, N is |C| and N_t is F_t.
    occurrences: F_t of each term, shape (n_terms,).
    Means are over all units of the context.
    """

    counts: Callable[[str], Counts]
    occurrences: Numbers
    mean_words: Callable[[], float]
    mean_distinct: Callable[[], float]
    mean_vector: Callable[[Any, Any], float]
