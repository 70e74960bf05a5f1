"""Frequencies of terms in units, which are intervals of rows, and the pairs of term and unit that are weighted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from engine.similarity.values import Numbers, Pairs

# bits of an int64 without its sign
BITS = 63

# rows of the leaves that contain a term, ascending, and its frequencies in them
Leaves = tuple[Numbers, Numbers]


def frequencies(terms: Sequence[Leaves], rows: Numbers, ends: Numbers) -> Numbers:
    """Return the frequency of each term in each interval of rows, shape (n_terms, n_intervals).

    A frequency is the difference of two prefix sums over leaves, at the end and at the begin of the interval. Several
    terms share a prefix sum: each has a bit field wide enough for its total frequency.

    Args:
        rows, ends: the intervals, the ends exclusive.
    """
    counts = [np.empty((0, len(rows)), np.int64)]
    for group in _groups(terms):
        bits = np.array([_bits(tf) for _, tf in group])
        shifts = np.cumsum(bits) - bits
        leaves = np.concatenate([containing for containing, _ in group])
        tf = np.concatenate([tf << shift for (_, tf), shift in zip(group, shifts, strict=True)])
        order = leaves.argsort(kind="stable")  # merges sorted runs
        leaves = leaves.take(order)
        before = np.zeros(len(leaves) + 1, np.int64)
        tf.take(order).cumsum(out=before[1:])
        inside = before.take(leaves.searchsorted(ends)) - before.take(leaves.searchsorted(rows))
        counts.append((inside >> shifts[:, np.newaxis]) & ((1 << bits) - 1)[:, np.newaxis])
    return np.concatenate(counts)


def pairs_of(tf: Numbers) -> Pairs:
    """Return the pairs of a term and a unit that contains it.

    Args:
        tf: shape (n_terms, n_units).
    """
    of_pairs = tf.ravel()
    places = np.flatnonzero(of_pairs != 0)
    term = places // max(tf.shape[1], 1)
    return Pairs(term, places - term * tf.shape[1], of_pairs.take(places))


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
