"""Runs of ASCII characters are counted as a regular expression finds them."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.kernels.table import has_kernels, native
from engine.text.characters import ascii_letters
from tests.trust.soak import effort

pytestmark = pytest.mark.skipif(not has_kernels(), reason="no kernels were compiled")


@settings(max_examples=effort(120, 20_000, thorough=3000), deadline=None)
@given(st.text([*map(chr, range(128)), *"abcdefgh   "], max_size=40) | st.text("a \x00\x7f/0:9@AZ[`z{", max_size=40))
@example("".join(map(chr, range(128))))
@example("abcdefgh" * 9)
@pytest.mark.long
def test_words_are_runs_of_letters_and_digits(text: str) -> None:
    found = native.count_runs(text.encode(), *ascii_letters())

    assert found == len(re.findall("[0-9A-Za-z]+", text))


@given(st.text("ab \u00e9", max_size=40))
def test_text_beyond_ascii_is_not_counted(text: str) -> None:
    assert (native.count_runs(text.encode(), *ascii_letters()) < 0) == (not text.isascii())


def test_any_ranges_can_be_counted() -> None:
    assert native.count_runs(b"\x00\x00a\x7f\x7f-\x00", b"\x00\x7f", b"\x00\x7f") == 3
    assert native.count_runs(b"abc", b"", b"") == 0
