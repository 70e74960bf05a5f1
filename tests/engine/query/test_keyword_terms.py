"""Keywords are split into the terms that a reference finds sign by sign."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.query.nexi.terms import parse_co
from tests.reference.keyword_terms import keyword_terms
from tests.trust.soak import effort

KEYWORDS = (
    st.text(st.sampled_from('aé5+-+-"”\u201c" \u2003\t\x1c_.:*'))
    | st.lists(
        st.sampled_from(["fog", "src:", "SRC:x", "+", "-", '"', " ", " ", "-5", "--a", "+-", "wi-fi", "\u00df"])
    ).map("".join)
    | st.lists(
        st.sampled_from(
            ["(", ")", "|", " OR ", "a", "lamp", "*", "~", "1", "=", '"', " ", "+", "-", "~3", ".", "src:x"]
        )
    ).map("".join)
)


@settings(max_examples=effort(120, 20_000, thorough=3000))
@given(KEYWORDS)
@pytest.mark.long
def test_keywords_are_read_as_sign_by_sign(text: str) -> None:
    assert parse_co(text) == keyword_terms(text)
