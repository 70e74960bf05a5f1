"""Frequencies in intervals are what counting one leaf at a time gives, however many terms share a number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.similarity.term_frequencies import pairs_in
from tests.trust.soak import effort

terms = st.lists(st.dictionaries(st.integers(0, 40), st.sampled_from([1, 1, 2, 255, 2**20, 2**31, 2**56])), max_size=9)
intervals = st.lists(st.tuples(st.integers(0, 41), st.integers(0, 41)), max_size=20)


@settings(max_examples=effort(10, 3000, thorough=300), deadline=None)
@given(terms, intervals)
def test_frequencies_are_sums_over_the_leaves_inside(
    terms: Sequence[dict[int, int]], intervals: Sequence[tuple[int, int]]
) -> None:
    intervals = sorted(intervals)
    rows = np.array([row for row, _ in intervals], np.int64)
    ends = np.array([row + extent for row, extent in intervals], np.int64)
    columns = [
        (np.array(sorted(leaves), np.int64), np.array([leaves[leaf] for leaf in sorted(leaves)], np.int64))
        for leaves in terms
    ]
    expected = [
        (term, unit, tf)
        for term, leaves in enumerate(terms)
        for unit, (row, extent) in enumerate(intervals)
        if (tf := sum(tf for leaf, tf in leaves.items() if row <= leaf < row + extent))
    ]

    found = pairs_in(columns, rows, ends)

    pairs = list(zip(*(column.tolist() for column in found), strict=True))
    assert sorted(pairs) == expected
    for number in range(len(intervals)):
        of_unit = [term for term, unit, _ in pairs if unit == number]
        assert of_unit == sorted(of_unit)
