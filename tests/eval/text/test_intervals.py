from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.text.highlighted_text import HighlightedIntervals, SeenIntervals, union
from tests.trust.soak import effort

intervals = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 12)).map(lambda p: (p[0], p[0] + p[1])), max_size=12)


def columns(spans):
    return np.array(spans, dtype=np.int64).reshape(-1, 2).T


def characters(spans):
    return {at for start, end in spans for at in range(start, end)}


@settings(max_examples=effort(8, 2000, thorough=200))
@given(intervals)
def test_union_covers_the_same_characters_with_gaps_between(spans):
    starts, ends = union(*columns(spans))

    assert characters(zip(starts.tolist(), ends.tolist(), strict=True)) == characters(spans)
    assert (ends > starts).all()
    assert (starts[1:] > ends[:-1]).all()


@settings(max_examples=effort(8, 2000, thorough=200))
@given(intervals, intervals)
def test_highlights_within_intervals_are_counted_by_character(highlighted, asked):
    text = HighlightedIntervals.of(*columns(highlighted))

    assert text.total == len(characters(highlighted))
    expected = [len(characters(highlighted) & characters([span])) for span in asked]
    assert text.count_within(*columns(asked)).tolist() == expected


@settings(max_examples=effort(8, 2000, thorough=200))
@given(intervals)
def test_seen_gives_each_character_once(spans):
    reader, before = SeenIntervals(), set()
    for start, end in spans:
        fresh = reader.add(start, end)
        assert characters(fresh) == characters([(start, end)]) - before
        assert sum(b - a for a, b in fresh) == len(characters(fresh))
        before |= characters([(start, end)])
    assert characters(zip(reader.starts, reader.ends, strict=True)) == before
