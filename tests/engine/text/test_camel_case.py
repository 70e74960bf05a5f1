"""Words in camel case are split at the capitals that a slow reading of their letters finds."""

from __future__ import annotations

import doctest
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import SettingsError
from engine.index.reader import IndexReader, open_reader
from engine.indexing.build import update_index
from engine.indexing.build_settings import BuildSettings
from engine.query.nexi.tree import Word
from engine.query.query_terms import analyse
from engine.settings import Length, Settings
from engine.text import words
from engine.text.analyser import Analyser, analyser_from, make_analyser
from engine.text.characters import EXTENDER, LETTER, kind_of
from engine.text.utf8 import characters_before, encode
from engine.text.words import CAPITAL, DIGIT, MOST_MARKS, SMALL, case_of
from tests.engine.check_answers import search
from tests.engine.small_index import write
from tests.trust.soak import effort

SPLIT = make_analyser(stem="none", camel_case="split")
LETTERS = "aAbBéÉeE\u0301\u00ad\u0130ǅßﬁ1²_ -.中ไ\u0640\u1161Ωω𝐀𝐚"


def part_begins(text: str) -> list[int]:
    """Return the characters at which parts of words begin inside them."""
    marks = 0
    letters: list[tuple[int, int]] = []  # place and case of each character but marks
    for place, character in enumerate(text):
        kind = kind_of(character)
        marks = marks + 1 if kind == EXTENDER else 0
        if kind != EXTENDER:
            letters.append((place, case_of(character) if kind == LETTER else 0))
        elif marks > MOST_MARKS:
            letters.append((place, 0))
    found = []
    for number in range(1, len(letters)):
        place, case = letters[number]
        before = letters[number - 1][1]
        after = [case for _, case in letters[number + 1 : number + 3]]
        if case == CAPITAL and (before == SMALL or (before in (CAPITAL, DIGIT) and after == [SMALL, SMALL])):
            found.append(place)
    return found


@settings(max_examples=effort(16, 3000, thorough=400))
@given(st.one_of(st.text(max_size=40), st.text(st.sampled_from(LETTERS), max_size=40)))
def test_parts_equal_those_found_letter_by_letter(text: str) -> None:
    encoded = encode(text)
    words, whole = SPLIT.words(encoded), Analyser().words(encoded)

    inside = np.setdiff1d(words.starts, whole.starts)
    assert characters_before(encoded, inside).tolist() == part_begins(text)
    assert "".join(words.surfaces) == "".join(whole.surfaces)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("getElementById", "get element by id"),
        ("XMLHttpRequest", "xml http request"),
        ("URLs H2O PhD R2D2", "urls h2o ph d r2d2"),
        ("utf8Decode base64_encode", "utf8 decode base64 encode"),
        ("größeÄndern E\u0301te\u0301E\u0301te\u0301", "grösse ändern été été"),
        ("A aB", "a a b"),
    ],
)
def test_capitals_begin_parts(text: str, terms: str) -> None:
    assert SPLIT.terms(text) == terms.split()


def test_the_example_holds() -> None:
    failed, attempted = doctest.testmod(words)

    assert failed == 0 < attempted


def test_an_analyser_that_splits_is_stored_as_such_and_others_as_before() -> None:
    assert analyser_from(SPLIT.to_dict()) == SPLIT
    assert "camel_case" not in make_analyser().to_dict()
    assert "camel case split" in str(SPLIT)
    assert "camel" not in str(make_analyser())
    for wrong in ({"camel_case": "split"}, {"diacritics": "fold"}):
        with pytest.raises(SettingsError, match="the zettair analyser keeps diacritics and camel case"):
            make_analyser("zettair", **wrong)
    with pytest.raises(SettingsError, match="camel case 'parts': expected one of keep, split"):
        make_analyser(camel_case="parts")


DOCUMENTS = {
    "a": "<a><p>Call getElementById now, then set.</p></a>",
    "b": "<a><p>The element of an id is set by call.</p></a>",
}


SETTINGS = Settings(min_words=Length(0), min_leaf_words=Length(0))


def found(index: IndexReader, query: str) -> list[str]:
    return [answer.document for answer in search(index, query, SETTINGS)]


def test_parts_are_found_alone_as_phrases_and_as_the_name(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    write(tmp_path / "source", DOCUMENTS)
    update_index(tmp_path / "index", [str(tmp_path / "source")], BuildSettings(analyser=SPLIT))
    index = open_reader(tmp_path / "index")

    assert sorted(found(index, "element")) == ["a", "b"]
    assert found(index, '"get element by id"') == found(index, '"getElementById"') == ["a"]
    assert found(index, "getElementById")[0] == "a"
    answers = search(index, "element", SETTINGS)
    assert [answer.snippet.marked() for answer in answers if answer.document == "a"] == [
        "Call get[Element]ById now, then set."
    ]


def test_function_words_in_split_words_count() -> None:
    words = (Word("isArray", ""), Word("by", ""), Word("set", ""))
    dropped = frozenset({"is", "by"})

    assert [str(term) for term in analyse(words, SPLIT, dropped)] == ["is", "array", "set"]
    assert [str(term) for term in analyse(words, Analyser(), dropped)] == ["isarray", "set"]
