"""What is kept is what was asked for last, and never more than there is room for."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from engine.index.cache import SizedCache


@given(st.lists(st.integers(0, 9)), st.integers(0, 20), st.booleans())
def test_the_most_recently_used_values_are_cached(asked: Sequence[int], room: int, keeps_newest: bool) -> None:
    cache: SizedCache[int, list[int]] = SizedCache(len, room, keeps_newest=keeps_newest)
    expected: list[int] = []  # keys that are kept, the one asked for last at the end
    for key in asked:
        made: list[int] = []
        assert cache.get(key, lambda key=key, made=made: made.append(key) or [key] * key) == [key] * key
        assert made == ([] if key in expected else [key])
        expected = [*(kept for kept in expected if kept != key), key]
        while sum(expected) > room and len(expected) > keeps_newest:
            expected.pop(0)
