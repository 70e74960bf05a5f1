"""Hints for misspelt names."""

from __future__ import annotations

import pytest

from engine.wording import did_you_mean

KNOWN = ("H-oCRE-PME", "H-oCRE-MpE", "limit", "lambda")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("limt", "did you mean 'limit'? "),
        ("LAMDA", "did you mean 'lambda'? "),
        ("H-oCRE-MPE", "did you mean 'H-oCRE-MpE'? "),
        ("nothing like it", ""),
        ("", ""),
    ],
)
def test_the_most_similar_name_is_suggested(name: str, hint: str) -> None:
    assert did_you_mean(name, KNOWN) == hint
