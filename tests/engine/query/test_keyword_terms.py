"""Keywords are split into the terms that a reference finds sign by sign."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.query.nexi.terms import all_expanded, parse_co
from engine.query.nexi.tree import Fuzzy, Pattern, Word
from tests.reference.keyword_terms import keyword_terms
from tests.trust.soak import effort

OPERATORS = {
    "fog AND lamp": "+fog +lamp",
    "fog AND lamp AND bell": "+fog +lamp +bell",
    "fog NOT lamp": "fog -lamp",
    "fog lamp AND NOT bell": "fog +lamp -bell",
    'fog AND "tide gauge" NOT (bell OR horn)': '+fog +"tide gauge" -(bell | horn)',
    "FOG AND LAMP": "+FOG +LAMP",
    "TCP/IP AND UDP SOCKETS": "TCP/IP AND UDP SOCKETS",
    "AND fog": "AND fog",
    "fog AND": "fog AND",
    "fog AND lamp OR bell": "fog AND lamp OR bell",
    "fog and lamp not bell": "fog and lamp not bell",
}

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
    | st.lists(
        st.sampled_from(
            ["AND", "NOT", "AND", "NOT", "OR", "fog", "LAMP", "+bell", "-sea", '"a b"', "=AND", "(a|b)", "."]
        )
    ).map(" ".join)
)


def test_operators_between_terms_are_their_signs() -> None:
    read = {text: " ".join(map(str, parse_co(text))) for text in OPERATORS}

    assert read == OPERATORS
    assert all(" ".join(map(str, keyword_terms(text))) == terms for text, terms in OPERATORS.items())


def test_what_equal_words_stand_for_is_found_once() -> None:
    asked: list[Word | Pattern | Fuzzy] = []

    def stands_for(word: Word | Pattern | Fuzzy) -> tuple[str, ...]:
        asked.append(word)
        return "light", "lights"

    found = all_expanded(parse_co("light* fog light* +light*"), stands_for)

    assert " ".join(map(str, found)) == "(light | lights) (light | lights) (light | lights) +(light | lights)"
    assert list(map(str, asked)) == ["light*", "fog", "light*"]


@settings(max_examples=effort(120, 20_000, thorough=3000))
@given(KEYWORDS)
@pytest.mark.long
def test_keywords_are_read_as_sign_by_sign(text: str) -> None:
    assert parse_co(text) == keyword_terms(text)
