"""Words without accents find those with them, the word as typed first; compatible characters are equal."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.index.reader import open_reader
from engine.indexing.build import update_index
from engine.indexing.build_settings import BuildSettings
from engine.text.analyser import Analyser, analyser_from, make_analyser
from engine.text.characters import folded
from tests.engine.small_index import answers_to, index_of

WORDS = (
    "Dvořák",
    "Dvorak",
    "Müller",
    "Mueller",
    "café",
    "École",
    "Ørsted",
    "Łódź",
    "Straße",
    "Θήβα",
    "ёлка",
    "שָׁלוֹם",
    "سَلَام",
)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("dvorak", ["Dvorak", "Dvořák"]),
        ("Dvořák", ["Dvořák"]),
        ("muller", ["Müller"]),
        ("mueller", ["Mueller", "Müller"]),
        ("cafe", ["café"]),
        ("ecole", ["École"]),
        ("orsted", ["Ørsted"]),
        ("lodz", ["Łódź"]),
        ("strasse", ["Straße"]),
        ("θηβα", ["Θήβα"]),
        ("Елка", ["ёлка"]),
        ("שלום", ["שָׁלוֹם"]),
        ("سلام", ["سَلَام"]),
        ('"dvorak word"', ["Dvořák", "Dvorak"]),
        ("+cafe", ["café"]),
        ("cafes", []),
    ],
)
@pytest.mark.long
def test_a_word_without_accents_finds_those_with_them(tmp_path: Path, query: str, found: list[str]) -> None:
    with index_of(tmp_path, {word: f"<a><p>{word} word of it</p></a>" for word in WORDS}) as index:
        answers = [index.ids[document] for document in answers_to(index, query, min_words=1).documents.tolist()]
    assert sorted(answers) == sorted(found)
    if not query.startswith('"'):
        assert answers == found


def test_a_stem_with_an_accent_may_end_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<a><p>The École of the town is in this text</p></a>", "utf-8")
    update_index(tmp_path / "index", [str(tmp_path / "a.xml")], BuildSettings())
    with open_reader(tmp_path / "index") as index:
        assert len(answers_to(index, "ecole", min_words=1)) == 1


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("2024", "２０２４"), ("usb", "ＵＳＢ"), ("h2o", "H₂O"), ("m2", "m²"), ("viii", "Ⅷ"), ("テレビ", "ﾃﾚﾋﾞ"),
        ("istanbul", "İstanbul"), ("find", "ﬁnd"), ("²", "2"),
    ],
)  # fmt: skip
def test_compatible_characters_are_equal(tmp_path: Path, query: str, text: str) -> None:
    with index_of(tmp_path, {"a": f"<a><p>so {text} is it</p></a>"}) as index:
        assert len(answers_to(index, query, min_words=1)) == 1


def test_indexes_made_before_keep_their_characters() -> None:
    before = {"name": "default", "stem": "none", "stop": "none", "stop_words": [], "diacritics": "keep"}
    assert analyser_from(before).term("ＵＳＢ") == "ｕｓｂ"
    assert analyser_from(make_analyser().to_dict()) == make_analyser()
    assert Analyser().term("½") == make_analyser(stem="none").term("½") == "½"


@given(st.text(st.characters(categories=["L", "N", "M"]), min_size=1, max_size=8))
def test_folding_twice_changes_nothing(word: str) -> None:
    once = folded(word, compatible=True)
    assert folded(once, compatible=True) == once


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("//p[about(., dvorak)]", ["Dvorak", "Dvořák"]),
        ("//p[about(., muller) and about(., word)]", ["Müller"]),
        ("//a[about(.//p, +cafe)]", ["café"]),
        ("//p[about(., Dvořák)]", ["Dvořák"]),
        ("dvor*", ["Dvorak", "Dvořák"]),
        ("mull*", ["Müller"]),
        ("//p[about(., θηβα)]", ["Θήβα"]),
        ("θηβ*", ["Θήβα"]),
        ("muel*r", ["Mueller", "Müller"]),
        ("*cole", ["École"]),
        ("ors*", ["Ørsted"]),
        ("dvoř*", ["Dvořák"]),
        ("//p[about(., caf*)]", ["café"]),
        ('//p[about(., "cafe word of")]', ["café"]),
        ('//p[about(., +"dvorak word")]', ["Dvorak", "Dvořák"]),
        ('//p[about(., "it cafe"~3)]', ["café"]),
        ('//p[about(., "Dvořák word")]', ["Dvořák"]),
    ],
)
def test_words_and_patterns_of_path_queries_find_accents_too(tmp_path: Path, query: str, found: list[str]) -> None:
    with index_of(tmp_path, {word: f"<a><p>{word} word of it</p></a>" for word in WORDS}) as index:
        answers = {index.ids[document] for document in answers_to(index, query, min_words=1).documents.tolist()}
    assert answers == set(found)
