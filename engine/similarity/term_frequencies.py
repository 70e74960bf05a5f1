"""Frequencies of terms in units, which are intervals of rows, and the pairs of term and unit that are weighted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.arrays import Numbers, places_of, ranges
from engine.query_limits import check_time, reserve
from engine.records import NamedTuple
from engine.similarity.values import Pairs

# bits of an int64 without its sign
BITS = 63
# Above every row.
_NO_LEAF = np.iinfo(np.int64).max

# rows of the leaves that contain a term, ascending, and its frequencies in them
Leaves = tuple[Numbers, Numbers]


def pairs_in(terms: Sequence[Leaves], rows: Numbers, ends: Numbers) -> Pairs:
    """Return the pairs of a term and an interval of rows that contains it; those of an interval by term.

    An interval with one leaf has the terms of that leaf. In others, a frequency is the difference of two prefix sums
    over leaves, at the end and at the begin of the interval. Several terms share a prefix sum: each has a bit field
    wide enough for its total frequency.

    Args:
        rows, ends: the intervals, by their first row, which comes first; the ends exclusive.
    """
    if not terms or not len(rows):
        return joined([])
    if kernels.native is not None:
        by_unit = _pairs_by_kernel(kernels.native, terms, rows, ends)
        if by_unit is not None:
            return by_unit
    postings = _by_leaf(terms)
    leaves = postings.leaves
    first = _n_below(leaves, rows) if len(leaves) < len(rows) else leaves.searchsorted(rows)
    following = np.append(leaves, [_NO_LEAF, _NO_LEAF])
    has_several = following.take(first + 1) < ends
    single = places_of((following.take(first) < ends) & ~has_several)
    several = places_of(has_several)
    found = [_of_single_leaves(postings, single, first.take(single))]
    if len(several):
        after = leaves.searchsorted(ends.take(several))
        found += _of_several_leaves(terms, postings, several, first.take(several), after)
    return joined(found)


def _pairs_by_kernel(native: ModuleType, terms: Sequence[Leaves], rows: Numbers, ends: Numbers) -> Pairs | None:
    """Return what `pairs_in` returns, interval by interval; None if some intervals overlap without being nested."""
    check_time()
    reserve(sum(len(leaves) for leaves, _ in terms) + 2 * len(rows))
    found = native.pairs_in([leaves for leaves, _ in terms], [tf for _, tf in terms], rows, ends)
    if found is None:
        return None
    columns = np.frombuffer(found, np.int64).reshape(3, -1)
    reserve(columns.size)
    return Pairs(*columns)


class _ByLeaf(NamedTuple):
    """The postings of some terms, leaf by leaf.

    leaves: distinct, ascending. borders: the first posting of each leaf, then the number of postings. order: postings,
    numbered term by term, in the order of their leaves. term, tf, leaf: of postings in their own order, the leaf as a
    place among the leaves.
    """

    leaves: Numbers
    borders: Numbers
    order: Numbers
    term: Numbers
    tf: Numbers
    leaf: Numbers


def _by_leaf(terms: Sequence[Leaves]) -> _ByLeaf:
    check_time()
    of_postings = np.concatenate([leaves for leaves, _ in terms])
    reserve(8 * len(of_postings))
    order = of_postings.argsort(kind="stable")  # merges sorted runs
    in_order = of_postings.take(order)
    is_new = np.ones(len(in_order), np.bool_)
    np.not_equal(in_order[1:], in_order[:-1], out=is_new[1:])
    first = places_of(is_new)
    leaf = np.empty(len(order), np.int64)
    leaf[order] = is_new.cumsum() - 1
    term = np.arange(len(terms)).repeat([len(leaves) for leaves, _ in terms])
    tf = np.concatenate([tf for _, tf in terms])
    return _ByLeaf(in_order.take(first), np.append(first, len(order)), order, term, tf, leaf)


def _of_single_leaves(postings: _ByLeaf, units: Numbers, leaf: Numbers) -> Pairs:
    """Return the pairs of units that contain one leaf each."""
    begins = postings.borders.take(leaf)
    n_terms = postings.borders.take(leaf + 1) - begins
    chosen = postings.order.take(ranges(begins, n_terms))
    reserve(len(Pairs._fields) * len(chosen))
    return Pairs(postings.term.take(chosen), units.repeat(n_terms), postings.tf.take(chosen))


def _of_several_leaves(
    terms: Sequence[Leaves], postings: _ByLeaf, units: Numbers, first: Numbers, after: Numbers
) -> Iterator[Pairs]:
    """Yield the pairs of units that contain several leaves each, from the first to the one after the last."""
    n_before = n_postings = 0
    for group in _groups(terms):
        check_time()
        bits = np.array([n_bits for _, n_bits in group])
        shifts = np.cumsum(bits) - bits
        before = np.zeros(len(postings.leaves) + 1, np.int64)
        in_leaves = before[1:]
        for (tf, _), shift in zip(group, shifts.tolist(), strict=True):
            in_leaves[postings.leaf[n_postings : n_postings + len(tf)]] += tf << shift
            n_postings += len(tf)
        in_leaves.cumsum(out=in_leaves)
        inside = before.take(after) - before.take(first)
        fields = (inside >> shifts[:, np.newaxis]) & ((1 << bits) - 1)[:, np.newaxis]
        term, place, of_pairs = pairs_of(fields)
        reserve(len(Pairs._fields) * len(term))
        yield Pairs(term + n_before, units.take(place), of_pairs)
        n_before += len(group)


def _n_below(leaves: Numbers, bounds: Numbers) -> Numbers:
    """Return how many leaves (ascending) are below each bound (ascending), where there are fewer leaves than bounds.

    It is `leaves.searchsorted(bounds)`, with as many bisections as there are leaves.
    """
    return np.bincount(bounds.searchsorted(leaves, "right"), minlength=len(bounds) + 1)[:-1].cumsum()


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


def _groups(terms: Sequence[Leaves]) -> Iterator[list[tuple[Numbers, int]]]:
    """Yield the frequencies of consecutive terms whose bit fields fit into one number, with the widths of these."""
    group: list[tuple[Numbers, int]] = []
    left = BITS
    for _, tf in terms:
        n_bits = int(tf.sum()).bit_length()
        if group and n_bits > left:
            yield group
            group, left = [], BITS
        group.append((tf, n_bits))
        left -= n_bits
    if group:
        yield group
