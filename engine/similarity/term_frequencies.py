"""Frequencies of terms in units, which are intervals of rows, and the pairs of term and unit that are weighted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from engine.query.limits import check_time, hold
from engine.similarity.values import Numbers, Pairs

# bits of an int64 without its sign
BITS = 63

# rows of the leaves that contain a term, ascending, and its frequencies in them
Leaves = tuple[Numbers, Numbers]


def pairs_in(terms: Sequence[Leaves], rows: Numbers, ends: Numbers) -> Pairs:
    """Return the pairs of a term and an interval of rows that contains it, by term, then by interval.

    A frequency is the difference of two prefix sums over leaves, at the end and at the begin of the interval. Several
    terms share a prefix sum: each has a bit field wide enough for its total frequency.

    Args:
        rows, ends: the intervals, by their first row, which comes first; the ends exclusive.
    """
    found: list[Pairs] = []
    n_before = 0
    by_end: Numbers | None = None
    for group in _groups(terms):
        check_time()
        bits = np.array([_bits(tf) for _, tf in group])
        shifts = np.cumsum(bits) - bits
        leaves = np.concatenate([containing for containing, _ in group])
        tf = np.concatenate([tf << shift for (_, tf), shift in zip(group, shifts, strict=True)])
        order = leaves.argsort(kind="stable")  # merges sorted runs
        leaves = leaves.take(order)
        before = np.zeros(len(leaves) + 1, np.int64)
        tf.take(order).cumsum(out=before[1:])
        if len(leaves) > len(rows):
            inside = before.take(leaves.searchsorted(ends)) - before.take(leaves.searchsorted(rows))
        else:
            by_end = ends.argsort(kind="stable") if by_end is None else by_end
            inside = -before.take(_n_below(leaves, rows))
            inside[by_end] += before.take(_n_below(leaves, ends.take(by_end)))
        units = np.flatnonzero(inside)
        fields = (inside.take(units) >> shifts[:, np.newaxis]) & ((1 << bits) - 1)[:, np.newaxis]
        term, place, of_pairs = pairs_of(fields)
        found.append(Pairs(term + n_before, units.take(place), of_pairs))
        hold(len(Pairs._fields) * len(term))
        n_before += len(group)
    return joined(found)


def _n_below(leaves: Numbers, bounds: Numbers) -> Numbers:
    """Return how many leaves (ascending) are below each bound (ascending), where there are fewer leaves than bounds.

    It is `leaves.searchsorted(bounds)`, with as many bisections as there are leaves.
    """
    return np.bincount(bounds.searchsorted(leaves, "right"), minlength=len(bounds) + 1)[:-1].cumsum()


def pairs_of(tf: Numbers) -> Pairs:
    """Return the pairs of a term and a unit that contains it.

    Args:
        tf: shape (n_terms, n_units).
    """
    of_pairs = tf.ravel()
    places = np.flatnonzero(of_pairs != 0)
    term = places // max(tf.shape[1], 1)
    return Pairs(term, places - term * tf.shape[1], of_pairs.take(places))


def joined(found: Sequence[Pairs]) -> Pairs:
    """Return the pairs of several groups of terms, one group after the other."""
    if len(found) == 1:
        return found[0]
    none = np.empty(0, np.int64)
    term, unit, tf = (np.concatenate([none, *(pairs[column] for pairs in found)]) for column in range(3))
    return Pairs(term, unit, tf)


def _groups(terms: Sequence[Leaves]) -> Iterator[list[Leaves]]:
    """Yield groups of consecutive terms whose bit fields fit into one number."""
    group: list[Leaves] = []
    left = BITS
    for term in terms:
        if group and _bits(term[1]) > left:
            yield group
            group, left = [], BITS
        group.append(term)
        left -= _bits(term[1])
    if group:
        yield group


def _bits(tf: Numbers) -> int:
    return int(tf.sum()).bit_length()
