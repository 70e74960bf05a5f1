"""How often terms occur in units, which are intervals of rows: the pairs of term and unit that are weighted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from engine.similarity.values import Numbers, Pairs

BITS = 63  # of a number without its sign

Leaves = tuple[Numbers, Numbers]  # the rows that hold a term, ascending, and how often


def frequencies(terms: Sequence[Leaves], rows: Numbers, ends: Numbers) -> Numbers:
    """Return how often each term occurs in each interval of rows, shape (n_terms, n_intervals).

    They are differences of sums over all leaves before the interval's end and before its begin. Several terms share a
    sum: each has as many of its bits as the term's occurrences need all together.

    Args:
        rows, ends: the intervals, the ends exclusive.
    """
    counts = [np.empty((0, len(rows)), np.int64)]
    for group in _sharing(terms):
        bits = np.array([_bits(tf) for _, tf in group])
        shifts = np.cumsum(bits) - bits
        leaves = np.concatenate([held for held, _ in group])
        tf = np.concatenate([tf << shift for (_, tf), shift in zip(group, shifts, strict=True)])
        order = leaves.argsort(kind="stable")  # it merges runs
        leaves = leaves.take(order)
        before = np.zeros(len(leaves) + 1, np.int64)
        tf.take(order).cumsum(out=before[1:])
        inside = before.take(leaves.searchsorted(ends)) - before.take(leaves.searchsorted(rows))
        counts.append((inside >> shifts[:, np.newaxis]) & ((1 << bits) - 1)[:, np.newaxis])
    return np.concatenate(counts)


def pairs_of(tf: Numbers) -> Pairs:
    """Return the pairs of term and unit in which the term occurs at all.

    Args:
        tf: shape (n_terms, n_units).
    """
    of_pairs = tf.ravel()
    held = np.flatnonzero(of_pairs != 0)
    term = held // max(tf.shape[1], 1)
    return Pairs(term, held - term * tf.shape[1], of_pairs.take(held))


def _sharing(terms: Sequence[Leaves]) -> Iterator[list[Leaves]]:
    """Yield groups of terms, in their order, whose sums fit into one number."""
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
