"""The list of topics that is suggested selects just these topics."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.topics import selected_ids, selection_of

IDS = st.one_of(
    st.integers(0, 40).map(str),
    st.builds("{}{}".format, st.sampled_from(["CU", "CU0", "mm", "12-"]), st.integers(0, 12)),
    st.text("0129-x", min_size=1, max_size=4),
)


@given(st.lists(st.tuples(IDS, st.booleans()), min_size=1, max_size=30, unique_by=lambda item: item[0]))
def test_the_list_selects_what_it_was_made_from(items):
    ids, chosen = [name for name, _ in items], [name for name, is_chosen in items if is_chosen]

    only = selection_of(chosen, ids, most=1000)

    assert bool(only) == bool(chosen)
    if chosen:
        assert selected_ids(only, ids) == chosen
        assert len(only) <= len(",".join(chosen))
        assert selection_of(chosen, ids, most=len(only)) == only
        assert selection_of(chosen, ids, most=len(only) - 1) == ""


@pytest.mark.parametrize(
    ("chosen", "ids", "only"),
    [
        (["1", "2", "3"], ["3", "20", "1", "2"], "1-3"),
        (["1", "2", "4"], ["1", "2", "4"], "1-4"),
        (["1", "2", "4", "5"], ["1", "2", "3", "4", "5"], "1,2,4,5"),
        (["CU01", "CU2", "CU03"], ["CU01", "CU2", "CU03", "CU04"], "CU01-CU03"),
        (["1", "2", "3"], ["1", "2", "3", "1-3"], "1,2,3"),
        (["a", "b", "c"], ["a", "b", "c", "d"], "a,b,c"),
        (["a,b"], ["a,b", "c"], ""),
        ([], ["1"], ""),
        ([str(n) for n in range(0, 10_000, 2)], [str(n) for n in range(10_000)], ""),
    ],
)
def test_neighbours_are_a_range(chosen, ids, only):
    assert selection_of(chosen, ids, most=40) == only
