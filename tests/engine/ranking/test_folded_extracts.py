"""The white space of extracts is collapsed, and their words are where the spans say."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.presentation.snippets import folded_extract, runs_together
from tests.trust.soak import effort

TEXTS = st.text("ab é\u4e00(. \n\t\u00a0\u2028", max_size=24)


@settings(max_examples=effort(120, 20_000, thorough=3000), deadline=None)
@given(TEXTS, st.integers(0, 24), st.integers(0, 24), st.sets(st.integers(1, 23)))
@example("\n a b(a b\n", 0, 10, {5})
@example("  ", 0, 2, set())
@pytest.mark.long
def test_white_space_becomes_single_blanks(text: str, one: int, other: int, borders: set[int]) -> None:
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    gaps = [border for border in sorted(borders) if start < border < end and runs_together(text, border)]
    edges = sorted({start, end, *gaps, *(at for at in range(start, end) if text[at].isspace())})
    words = [(at + text[at].isspace(), stop) for at, stop in pairwise(edges)]
    spans = [(at, stop) for at, stop in words if at < stop]

    folded, moved = folded_extract(text, start, end, dict.fromkeys(gaps, " "), spans)

    assert not re.search(r"\s\s|[^\S ]", folded)
    assert [folded[at:stop] for at, stop in moved] == [text[at:stop] for at, stop in spans]
