from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import MeasureError
from engine.runs import Ranking
from eval.text.highlighted_text import HighlightedIntervals, SeenIntervals, union
from eval.text.offsets import results_without_offsets, with_result_offsets
from tests.reference.flat_documents import FlatDocuments
from tests.trust.soak import effort

DOCUMENTS = FlatDocuments({"d": "<a>ab<p>cdef</p><!-- x -->gh<p>ij</p></a>"})


def places(ranking):
    found = with_result_offsets(ranking, DOCUMENTS)
    return list(zip(found.starts.tolist(), found.lengths.tolist(), strict=True))


def test_paths_and_whole_documents_are_looked_up():
    ranking = Ranking.ranked("1", ["d", "d", "d", "z"], ["/a[1]/p[2]", None, "/a[1]/x[1]", "/a[1]"])

    assert places(ranking) == [(8, 2), (0, 10), (-1, -1), (-1, -1)]


def test_pointers_are_looked_up():
    ranking = Ranking.ranked("1", ["d", "d"], pointers={0: ("/a[1]/text()[2].1", "/a[1]/p[2]"), 1: ("/a[1]", "/b[1]")})

    # text()[2] is "gh", from 6; p[2] ends at 10
    assert places(ranking) == [(7, 3), (-1, -1)]


def test_a_result_placed_nowhere_stays_there_and_needs_no_index():
    ranking = Ranking.ranked("1", ["d", "d"], starts=[4, -1], lengths=[2, -1])

    assert results_without_offsets(ranking) == []
    assert with_result_offsets(ranking, None) is ranking


def test_without_an_index_the_message_names_what_needs_one():
    with pytest.raises(MeasureError, match=r"topic '1', rank 1: results are elements, .*: needs index="):
        with_result_offsets(Ranking.ranked("1", ["d"], ["/a[1]"]), None)


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
