"""Words of many scripts: composed and decomposed spellings, invisible characters, marks, scripts without spaces."""

from __future__ import annotations

import doctest
import unicodedata
from pathlib import Path
from typing import Literal

import pytest

from engine.collection.profiles.profile_files import load_profile
from engine.errors import SettingsError
from engine.index.reader import IndexReader, open_reader
from engine.indexing.build import BuildSettings, update_index
from engine.presentation.snippets import snippets
from engine.presentation.term_spans import SearchedText
from engine.query.query import parse_query
from engine.text import analyser as analyser_module
from engine.text import characters
from engine.text.analyser import Analyser, make_analyser
from engine.text.utf8 import encode
from tests.engine.index.index_contents import write
from tests.engine.small_index import answers_to


def document_terms(text: str, analyser: Analyser | None = None) -> list[str | None]:
    """Return the terms of the words of a text in a document."""
    used = analyser or Analyser()
    return [used.term(surface) for surface in used.words(encode(text)).surfaces]


@pytest.mark.parametrize("text", ["café Ångström", "한국어", "Việt Nam", "Ελλάδα", "プログラム", "क़लम"])
def test_composed_and_decomposed_spellings_are_the_same_words(text: str) -> None:
    forms = [unicodedata.normalize(form, text) for form in ("NFC", "NFD")]

    assert document_terms(forms[0]) == document_terms(forms[1])
    assert Analyser().terms(forms[0]) == Analyser().terms(forms[1])


@pytest.mark.parametrize("invisible", ["\u00ad", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad\u200d"])
def test_soft_hyphens_and_zero_width_characters_do_not_split_words(invisible: str) -> None:
    assert document_terms(f"light{invisible}house {invisible} lamp{invisible} {invisible}oil") == [
        *("lighthouse", "lamp", "oil")
    ]
    assert len(Analyser("zettair").words(encode(f"light{invisible}house")).surfaces) == 2


@pytest.mark.parametrize(
    "text", ["हिन्दी में लिखा", "বাংলা ভাষা", "தமிழ் மொழி", "שָׁלוֹם עֲלֵיכֶם", "السَّلَامُ عَلَيْكُم", "e\u0301te\u0301 x\u0302"]
)
def test_combining_marks_stay_in_their_word(text: str) -> None:
    assert document_terms(text) == [unicodedata.normalize("NFC", word) for word in text.split()]


def test_marks_without_a_letter_are_no_word() -> None:
    assert document_terms("\u0301 a \u0301b -\u0301- 😀\ufe0f") == ["a", "b"]


def test_a_stretched_arabic_word_is_the_word() -> None:
    assert document_terms("كتـــاب") == document_terms("كتاب")


@pytest.mark.parametrize(
    ("text", "terms", "query"),
    [
        ("東京都", ["東京", "京都", "都"], ["東京", "京都", None]),
        ("茶", ["茶"], ["茶*"]),
        ("GPS衛星x", ["gps", "衛星", "星", "x"], ["gps", "衛星", None, "x"]),
        ("海は青い。", ["海は", "は青", "青い", "い"], ["海は", "は青", "青い", None]),
        ("학교", ["학교", "교"], ["학교", None]),
        ("ที่นี่", ["ที่นี่", "นี่"], ["ที่นี่", None]),  # two letters, each with its marks
        ("２０２４年", ["２０２４", "年"], ["２０２４", "年*"]),
        ("lamp 灯 灯台", ["lamp", "灯", "灯台", "台"], ["lamp", "灯*", "灯台", None]),
    ],
)
def test_letters_of_scripts_without_spaces_begin_overlapping_words(
    text: str, terms: list[str], query: list[str | None]
) -> None:
    assert document_terms(text) == terms
    assert Analyser().terms(text) == query


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *(("Été", "ete"), ("Łódź", "lodz"), ("naïve", "naive"), ("Æsir", "aesir"), ("Ελλάδα", "ελλαδα")),
        *(("שָׁלוֹם", "שלום"), ("السَّلَامُ", "السلام"), ("Việt", "viet"), ("ё", "е")),
    ],
)
def test_diacritics_can_be_folded(one: str, other: str) -> None:
    folding = Analyser(diacritics="fold")

    assert document_terms(one, folding) == document_terms(other, folding)
    assert document_terms(one) != document_terms(other)


@pytest.mark.parametrize("text", ["हिन्दी", "বাংলা", "தமிழ்", "ที่นี่"])
def test_folding_leaves_vowel_signs_that_make_other_words(text: str) -> None:
    assert document_terms(text, Analyser(diacritics="fold")) == document_terms(text)


def test_words_are_folded_before_they_are_stemmed_and_compared_with_stop_words() -> None:
    folding = make_analyser(stem="french", diacritics="fold")
    assert folding.terms("français") == folding.terms("FRANCAIS")
    assert Analyser(stop="file", stop_words=frozenset({"für"}), diacritics="fold").terms("fur für") == [None, None]


def test_an_unknown_treatment_of_diacritics_is_refused() -> None:
    with pytest.raises(SettingsError, match="expected one of keep, fold"):
        Analyser(diacritics="drop")


FILES = {
    "ja": "<a><p>東京都の灯台は古い。</p><p>海の<b>灯</b>台守。茶道。</p></a>",
    "th": "<a><p>ประภาคารอยู่ใกล้ทะเล</p></a>",
    "en": "<a><p>A cafe\u0301 at the light\u00adhouse.</p></a>",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    folder = tmp_path_factory.mktemp("scripts")
    (folder / "own.toml").write_text('inline = ["b"]', "utf-8")
    settings = BuildSettings(make_analyser(), load_profile(str(folder / "own.toml")))
    update_index(folder / "index", [str(write(folder / "source", FILES))], settings)
    return open_reader(folder / "index")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("灯台", {"/a[1]/p[1]", "/a[1]/p[2]"}),
        ('"灯台守"', {"/a[1]/p[2]"}),
        ('"台守灯"', set()),
        ("茶", {"/a[1]/p[2]"}),
        ("守", {"/a[1]/p[2]"}),  # the last letter before a full stop
        ('"東京都の灯台"', {"/a[1]/p[1]"}),
        ("ทะเล", {"/a[1]/p[1]"}),
        ("café", {"/a[1]/p[1]"}),
        ("lighthouse", {"/a[1]/p[1]"}),
        ("//p[about(., 茶道)]", {"/a[1]/p[2]"}),
    ],
)
def test_texts_of_many_scripts_are_found(index: IndexReader, query: str, expected: set[str]) -> None:
    assert {answer.path for answer in answers_to(index, query, answers="matching")} == expected


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("古い東京都の灯台", "東京都 灯台", "古い[東京][都]の[灯台]"),
        ("緑茶と茶道", "茶", "緑[茶と][茶道]"),
        ("Ein Cafe\u0301 am Meer", "café", "Ein [Cafe\u0301] am Meer"),
    ],
)
def test_snippets_mark_words_of_many_scripts(text: str, query: str, marked: str) -> None:
    assert snippets([SearchedText(text)], parse_query(query, Analyser()), Analyser())[0].marked() == marked


def test_attributes_of_many_scripts_are_compared_with_words(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('attributes = ["t"]', "utf-8")
    source = write(tmp_path / "source", {"a": '<a t="東京の茶道"><p>x</p></a>'})
    settings = BuildSettings(make_analyser(), load_profile(str(tmp_path / "own.toml")))
    update_index(tmp_path / "index", [str(source)], settings)

    for words, n_found in (("茶道", 1), ("茶", 1), ('"京の"', 1), ("海", 0)):
        found = answers_to(open_reader(tmp_path / "index"), f"//a[about(@t, {words})]", reading="SS")
        assert len(found) == n_found, words


@pytest.mark.parametrize("module", [characters, analyser_module])
def test_doctests_of_characters(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


def test_long_strings_of_marks_are_normalized_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths, normalize = [], unicodedata.normalize

    def recorded(form: Literal["NFC", "NFD"], text: str) -> str:
        lengths.append(len(text))
        return normalize(form, text)

    monkeypatch.setattr(unicodedata, "normalize", recorded)
    marks = "\u0323\u0301" * 2 * characters.LONGEST_NORMALIZED

    assert characters.folded("e" + marks).startswith("\u1eb9")
    assert max(lengths) <= characters.LONGEST_NORMALIZED
