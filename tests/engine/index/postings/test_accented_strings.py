"""Strings with accents are found by how they begin without them, and none is lost."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from engine.index.postings.article_terms import AccentedStrings
from engine.text.characters import folded, spellings_without_accents
from tests.engine.columns.test_string_column import column_of

LETTERS = "abcemorsu"
WORDS = st.sets(st.text(LETTERS + "àâäæçèéœöøßšúüžơṩα\u0308", min_size=1, max_size=6).map(folded), max_size=12)


@given(WORDS, st.text(LETTERS, max_size=6))
def test_those_that_begin_like_a_word_are_found(words: set[str], word: str) -> None:
    with TemporaryDirectory() as folder:
        accented = AccentedStrings(column_of(Path(folder), sorted(each.encode() for each in words)))
        found = set(accented.beginning(word))
    spellings = {each: {plain for plain in spellings_without_accents(each) if plain.isascii()} for each in words}
    alike = {each for each in words if any(plain.startswith(word) for plain in spellings[each])}
    assert {each for each in alike if not each.isascii()} <= found
    assert not any(each.isascii() for each in found)
    without_marks = [each for each in found if "\u0308" not in each]
    assert all(any(p.startswith(word[:2]) or len(p) < 2 for p in spellings_without_accents(w)) for w in without_marks)


def test_a_long_column_is_read_in_parts(tmp_path: Path) -> None:
    strings = [*(b"%06d" % number for number in range(2**17)), "öl".encode()]
    assert AccentedStrings(column_of(tmp_path, strings)).beginning("oel") == ["öl"]
    assert AccentedStrings(column_of(tmp_path / "none", [])).beginning("oel") == []
