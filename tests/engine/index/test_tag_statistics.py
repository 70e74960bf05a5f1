"""The sums of each tag are those of its live elements, however many are counted at a time."""

from __future__ import annotations

from collections.abc import Sequence
from unittest.mock import patch

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.index.reader import IndexReader
from tests.engine.small_index import grown_index
from tests.trust.soak import effort

MARKUP = ("<a>x<b>y z</b><b/></a>", "<b>x<a>y<c>z</c>x</a></b>", "<c/>", "<a><a>x y<b>z</b></a><c>x</c></a>")
steps = st.lists(st.dictionaries(st.sampled_from("defg"), st.sampled_from(MARKUP), min_size=1), min_size=1, max_size=3)


def counted(index: IndexReader) -> list[list[float]]:
    """Return words, squared lengths of the leaves inside, and number of the elements of each tag, one by one."""
    elements = index.elements
    sums = [[0.0] * len(elements.tags) for _ in range(3)]
    for document in index.live_documents:
        root = elements.root(np.array([document]))
        for row in np.arange(root[0], elements.end(root)[0]):
            inside = np.arange(row, elements.end(np.array([row]))[0])
            tag, own = elements.tag(np.array([row]))[0], elements.n_own_words(inside)
            for total, value in zip(sums, (own.sum(), (own**2).sum(), 1), strict=True):
                total[tag] += value
    return sums


@settings(max_examples=effort(12, 300, thorough=60), deadline=None)
@given(steps, st.sampled_from([1, 3, 2**15]))
def test_sums_are_those_of_each_element(steps: Sequence[dict[str, str]], at_a_time: int) -> None:
    with grown_index(steps) as index, patch("engine.index.statistics.tag_statistics.READ_AT_A_TIME", at_a_time):
        assert index.statistics.tag_sums.tolist() == counted(index)
