from __future__ import annotations

import pytest

from engine.errors import MeasureError
from engine.runs import Ranking
from eval.text.offsets import results_without_offsets, with_result_offsets
from tests.reference.flat_documents import FlatDocuments

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
