"""Notices about keyword queries: what is read as text, and operators of other query languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.query.keyword_notices import MOST_NOTICES, keyword_notices

STRAY = "so it is read as text"


@pytest.mark.parametrize(
    ("text", "notices"),
    [
        ('5" gun', [f'position 2: this " is not closed, {STRAY}']),
        ("fog (horn", [f"position 5: this ( is not closed, {STRAY}"]),
        ("fog) horn", [f"position 4: this ) closes nothing, {STRAY}"]),
        ("a [b) c]", [f"position 5: this ) closes nothing, {STRAY}"]),
        ("+ fog", [f"position 1: this + stands alone, {STRAY}"]),
        ("fog - horn", [f"position 5: this - stands alone, {STRAY}"]),
        ("fog sec[about(., horn)]", ["position 9: this is read as words: a path query begins with /"]),
        ("//sec[about(., horn)]", ["position 7: this is read as words: a path query needs the syntax path or auto"]),
        ("//sec", ["position 1: this is read as words: a path query needs the syntax path or auto"]),
        ("/article[1]/sec[2]", ["position 1: this is the path of an element, but is read as words: 'foxir show "]),
        ("fog AND horn", ["position 5: AND is not an operator: write +word"]),
        ("fog AND NOT horn", ["position 5: AND NOT is not an operator"]),
        (
            "title:fog horn",
            ["position 1: title: names no field, so it is read as a word: write //title[about(., fog)]"],
        ),
        ("+title:fog", ["position 1: title: names no field"]),
        ("fog light*", ["position 5: light* is not a pattern"]),
        ("fgo~ horn^2", ["position 1: fgo~: ~ and ^ have no meaning", "position 6: horn^2: ~ and ^ have no meaning"]),
    ],
)
def test_ambiguous_query_syntax_is_reported(text: str, notices: list[str]) -> None:
    found = keyword_notices(text)

    assert len(found) == len(notices)
    assert all(one.startswith(f"query, {expected}") for one, expected in zip(found, notices, strict=True)), found


@pytest.mark.parametrize(
    "text",
    [
        *('+tide "chart datum" -gauge', "fog (and horns)", "what is fog?", "C++", "F*", "TCP/IP AND UDP SOCKETS USAGE"),
        *("http://example.org/a", "at 10:30", "std::vector", "src:/images/x.jpg", "rock and roll", "e-mail", "a * b"),
    ],
)
def test_usual_queries_have_no_notice(text: str) -> None:
    expected = 1 if text == "F*" else 0  # a star at the end of a word is a pattern elsewhere

    assert len(keyword_notices(text)) == expected


@given(st.text())
def test_notices_are_few_and_short(text: str) -> None:
    found = keyword_notices(text)

    assert len(found) <= MOST_NOTICES
    assert all(len(notice) < 200 for notice in found)
