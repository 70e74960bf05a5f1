"""Frequencies of terms in units, which are intervals of rows, and the pairs of term and unit that are weighted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Numbers, places_of
from engine.kernels.table import compiled, native
from engine.query_limits import check_time, reserve
from engine.similarity.values import Pairs

# rows of the leaves that contain a term, ascending, and its frequencies in them
Leaves = tuple[Numbers, Numbers]


def pairs_in(terms: Sequence[Leaves], rows: Numbers, ends: Numbers) -> Pairs:
    """Return the pairs of a term and an interval of rows that contains it; those of an interval by term.

    Args:
        rows, ends: the intervals, by their first row, which comes first; the ends exclusive.
    """
    if not terms or not len(rows):
        return joined([])
    check_time()
    reserve(sum(len(leaves) for leaves, _ in terms) + 2 * len(rows))
    return _pairs_in(terms, rows, ends)


def _pairs_in_numpy(terms: Sequence[Leaves], rows: Numbers, ends: Numbers) -> Pairs:
    found = []
    for number, (leaves, tf) in enumerate(terms):
        before = np.append(0, tf.cumsum())
        inside = before.take(leaves.searchsorted(ends)) - before.take(leaves.searchsorted(rows))
        units = places_of(inside)
        reserve(len(Pairs._fields) * len(units))
        found.append(Pairs(np.full(len(units), number), units, inside.take(units)))
    return joined(found)


@compiled(_pairs_in_numpy)
def _pairs_in(terms: Sequence[Leaves], rows: Numbers, ends: Numbers) -> Pairs:
    by_unit = native.pairs_in([leaves for leaves, _ in terms], [tf for _, tf in terms], rows, ends)
    if by_unit is None:
        return _pairs_in_numpy(terms, rows, ends)
    columns = np.frombuffer(by_unit, np.int64).reshape(3, -1)
    reserve(columns.size)
    return Pairs(*columns)


def pairs_of(tf: NDArray[Any]) -> Pairs:
    """Return the pairs of a term and a unit that contains it.

    Args:
        tf: whole numbers, shape (n_terms, n_units).
    """
    of_pairs = tf.ravel()
    places = places_of(of_pairs != 0)
    term = places // max(tf.shape[1], 1)
    return Pairs(term, places - term * tf.shape[1], of_pairs.take(places).astype(np.int64, copy=False))


def joined(found: Sequence[Pairs]) -> Pairs:
    """Return the pairs of several groups of terms, one group after the other."""
    if len(found) == 1:
        return found[0]
    none = np.empty(0, np.int64)
    term, unit, tf = (np.concatenate([none, *(pairs[column] for pairs in found)]) for column in range(3))
    return Pairs(term, unit, tf)
