"""Intervals of highlighted characters."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from foxir.service.judging.intervals import compared, intersection, size, united, without

intervals = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=6)


@given(one=intervals, other=intervals, start=st.integers(0, 20), end=st.integers(0, 20))
def test_intervals_are_sets_of_characters(
    one: list[tuple[int, int]], other: list[tuple[int, int]], start: int, end: int
) -> None:
    def characters(pairs: object) -> set[int]:
        return {each for first, last in pairs for each in range(first, last)}  # type: ignore[attr-defined]

    first, second = united(one), united(other)
    assert characters(first) == characters(one)
    assert size(first) == len(characters(one))
    assert all(a[1] < b[0] for a, b in pairwise(first))
    assert characters(without(first, start, end)) == characters(first) - set(range(start, end))
    assert characters(intersection(first, second)) == characters(first) & characters(second)
    kinds = {each: kind for a, b, kind in compared(first, second) for each in range(a, b)}
    assert kinds == {
        each: "both"
        if each in characters(first) & characters(second)
        else "first"
        if each in characters(first)
        else "second"
        for each in characters(first) | characters(second)
    }
