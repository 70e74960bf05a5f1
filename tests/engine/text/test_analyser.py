"""Words equal the matches of the regular expression; terms are case-folded and stemmed."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import SettingsError
from engine.kernels.table import without_kernels
from engine.text.analyser import Analyser, analyser_from, make_analyser
from engine.text.characters import LETTER, UNSPACED, VOICED, kind_of
from engine.text.languages import light_stem
from engine.text.utf8 import characters_before, encode
from tests.reference.flat_columns import find_words
from tests.reference.random_xml import LETTERS, SIGNS, analysers
from tests.trust.soak import effort

ANY_TEXT = st.text(max_size=60)
TRICKY_TEXT = st.text(st.sampled_from(LETTERS + SIGNS + "-'&_/.-'&_/."), max_size=60)
TEXTS = st.one_of(ANY_TEXT, TRICKY_TEXT)


@given(TEXTS, st.data())
def test_characters_before_an_offset_equal_those_of_the_decoded_text(text: str, data: st.DataObject) -> None:
    character = data.draw(st.integers(0, len(text)))
    place = len(text[:character].encode("utf-8", "surrogatepass"))

    assert characters_before(encode(text), np.array([place])).tolist() == [character]


@settings(max_examples=effort(10, 3000, thorough=300))
@given(TEXTS, st.sampled_from(["default", "zettair"]))
def test_words_and_offsets_equal_those_found_character_by_character(text: str, name: str) -> None:
    expected = find_words(text, name)

    encoded = encode(text)
    words = Analyser(name).words(encoded)

    assert words.surfaces == [word.surface for word in expected]
    assert characters_before(encoded, words.starts).tolist() == [word.start for word in expected]
    assert characters_before(encoded, words.ends).tolist() == [word.end for word in expected]
    assert characters_before(encoded, words.reaches).tolist() == [word.reach for word in expected]


@settings(max_examples=effort(40, 10_000, thorough=1000))
@given(
    st.lists(TEXTS | st.text("aB7 .,'-_", max_size=60), max_size=3).map("".join),
    st.sampled_from([nullcontext, without_kernels]),
    analysers(),
)
@pytest.mark.long
def test_words_are_counted_as_they_are_found(text: str, kernels: Any, analyser: Analyser) -> None:
    encoded = encode(text)
    with kernels():
        for each in (analyser, replace(analyser, camel_case="split" if analyser.name == "default" else "keep")):
            assert each.n_words(encoded) == len(each.words(encoded).starts)


@pytest.mark.long
def test_words_consist_of_exactly_the_letters_and_digits_of_unicode() -> None:
    codes = [*range(1, 0xD800), *range(0xE000, 0x32000), *range(0x32000, 0x110000, effort(61, 1, thorough=1))]
    characters = [chr(code) for code in codes]
    words = Analyser().words(encode(" ".join(characters)))

    assert words.surfaces == [character for character in characters if kind_of(character) in (LETTER, UNSPACED)]
    assert Analyser("zettair").words(encode(" ".join(characters))).surfaces == [
        character for character in characters if character.isalnum() and character not in VOICED
    ]


@pytest.mark.parametrize(
    ("text", "default", "zettair"),
    [
        ("Wi-Fi 802.11", ["wi", "fi", "802", "11"], ["wifi", "80211"]),
        ("3.14", ["3", "14"], ["314"]),
        ("O'Neil & R&D and/or a_b", ["o", "neil", "r", "d", "and", "or", "a", "b"], ["oneil", "rd", "andor", "ab"]),
        ("a--b a-'b", ["a", "b", "a", "b"], ["a", "b", "a", "b"]),  # one joiner joins, two part
        ("-a- .b. 'c'", ["a", "b", "c"], ["a", "b", "c"]),
        ("a-b-c", ["a", "b", "c"], ["abc"]),
        ("a\u2010b a\u2019b", ["a", "b", "a", "b"], ["a", "b", "a", "b"]),  # other dashes and apostrophes part
        ("Straße STRASSE ﬁne İ", ["strasse", "strasse", "fine", "i\u0307"], ["strasse", "strasse", "fine", "i\u0307"]),
        ("", [], []),
        ("-", [], []),
        ("--", [], []),
    ],
)
def test_both_analysers_give_the_expected_terms(text: str, default: list[str], zettair: list[str]) -> None:
    assert Analyser("default").terms(text) == default
    assert Analyser("zettair").terms(text) == zettair


@pytest.mark.parametrize(
    ("term", "stem"),
    [
        # Harman 1991, the three rules and their exceptions
        ("queries", "query"),
        ("eies", "eies"),
        ("calories", "calory"),
        ("zombaies", "zombaies"),
        ("houses", "house"),
        ("aloes", "aloes"),
        ("committees", "committees"),
        ("vertebraes", "vertebraes"),
        ("cats", "cat"),
        ("corpus", "corpus"),
        ("glass", "glass"),
        ("cat", "cat"),
        ("as", "as"),
        ("was", "was"),
        ("ties", "ty"),
        ("", ""),
    ],
)
def test_the_light_stemmer_removes_the_plural_s(term: str, stem: str) -> None:
    assert light_stem(term) == stem
    assert Analyser(stem="light").term(term) == stem


@pytest.mark.parametrize(
    # from the sample vocabulary of the Snowball project's page on the English stemmer
    ("term", "stem"),
    [
        ("consign", "consign"),
        ("consigned", "consign"),
        ("consistency", "consist"),
        ("consolation", "consol"),
        ("conspirators", "conspir"),
        ("knightly", "knight"),
        ("knots", "knot"),
        ("knaves", "knave"),
    ],
)
def test_the_english_stemmer_is_that_of_snowball(term: str, stem: str) -> None:
    assert Analyser(stem="english").term(term) == stem
    assert Analyser(stem="english").term(term.upper()) == stem


def test_stop_words_keep_their_place() -> None:
    analyser = make_analyser(stop="english")

    assert analyser.terms("The force of the Jedi") == [None, "force", None, None, "jedi"]


def test_stop_words_are_case_folded_and_removed_before_stemming(tmp_path: Path) -> None:
    (tmp_path / "stop.txt").write_text("WAS\nStraße\n", encoding="utf-8")
    analyser = make_analyser(stem="light", stop=str(tmp_path / "stop.txt"))

    assert analyser.terms("was STRASSE cats Cat") == [None, None, "cat", "cat"]


def test_words_that_are_remembered_have_their_terms_and_are_not_pickled() -> None:
    analyser = make_analyser(stop="english").with_languages(["german", "english"])
    surfaces = ["Houses", "Häuser", "the", "Houses", "running", "the"]
    found = [analyser.alternatives(surface) for surface in surfaces]
    again = pickle.loads(pickle.dumps(analyser))

    expected = [{analyser.term(surface, language) for language in analyser.languages} - {None} for surface in surfaces]
    assert [set(terms) for terms in found] == expected
    assert [again.alternatives(surface) for surface in surfaces] == found
    assert again == analyser
    assert "known_words" not in pickle.loads(pickle.dumps(analyser)).__dict__


def test_analysers_round_trip_through_dictionaries(tmp_path: Path) -> None:
    (tmp_path / "stop.txt").write_text("the a", encoding="utf-8")
    for analyser in (Analyser(), make_analyser("zettair", "english", str(tmp_path / "stop.txt"))):
        assert analyser_from(analyser.to_dict()) == analyser


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"name": "latin"}, "analyser 'latin' is unknown: use one of default, zettair."),
        (
            {"stem": "englisch"},
            r"stemmer 'englisch' is unknown: did you mean 'english'\? use one of auto, none, light, arabic",
        ),
        ({"stop": "no/such.txt"}, "stop list 'no/such.txt' cannot be read"),
    ],
)
def test_unknown_analysers_and_stemmers_are_refused(settings: Mapping[str, str], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        make_analyser(**settings)


def test_a_stop_list_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "stop.txt").write_bytes(b"\xff\xfe")

    with pytest.raises(SettingsError, match=r"stop\.txt' cannot be read"):
        make_analyser(stop=str(tmp_path / "stop.txt"))
