"""The snippet of a long answer: found by the index, and only the text around it is read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine.presentation.snippets
from engine.index.reader import IndexReader, open_reader
from engine.index.texts import text_store
from engine.presentation.snippets import BEFORE, BEHIND, place_of_word
from engine.text.analyser import Analyser
from engine.text.utf8 import encode
from tests.engine.ranking.by_structure import by_structure
from tests.engine.small_index import answers_to, grown_index, index_of
from tests.reference import random_collections
from tests.reference.random_collections import PROFILE, STOP_WORDS
from tests.reference.random_xml import LETTERS, SIGNS, analysers
from tests.trust.soak import effort

FILLER = "by night a ship keeps away. " * 40


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexReader]:
    paragraphs = [f"<p>{FILLER}</p>"] * 40
    paragraphs[29] = f"<p>{FILLER} The lamp of the reef is lit. {FILLER}</p>"
    paragraphs[11] = f"<p>{FILLER} A lamp, a lamp. {FILLER}</p>"
    unbroken = "word " * 9_000
    documents = {
        "paragraphs": f"<a>{''.join(paragraphs)}</a>",
        "sentence": f"<a>{unbroken} lamp of the reef {unbroken}</a>",
        "mixed": f"<a>{'word <b>x</b> ' * 5_000} lamp <b>of the</b> reef {'<b>x</b> word. ' * 5_000}</a>",
    }
    with index_of(tmp_path_factory.mktemp("long"), documents) as opened:
        yield opened


@pytest.mark.parametrize("document", ["paragraphs", "sentence", "mixed"])
@pytest.mark.parametrize("query", ["lamp reef", '"lamp of the reef"', "+reef", "reef nothing"])
def test_little_of_a_long_answer_is_read(
    index: IndexReader, document: str, query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    words = Analyser.words

    def counted(self: Analyser, encoded: Any) -> Any:
        sizes.append(len(encoded))
        return words(self, encoded)

    answers = answers_to(index, query, approach="fulltext", similarity="okapi")
    answer = next(each for each in answers if each.document == document)
    monkeypatch.setattr(Analyser, "words", counted)
    shown = answer.snippet.marked()

    assert "[reef]" in shown
    assert shown.startswith("… ")
    assert shown.endswith(" …")
    if document != "sentence":
        assert sum(sizes) < 4 * (BEFORE + BEHIND)


@pytest.mark.long
def test_an_answer_without_the_words_is_shown_from_its_beginning(index: IndexReader) -> None:
    answers = answers_to(index, "//a[about(., lamp)]//b", answers="target")
    root = answers_to(index, "word -nothing", approach="fulltext")

    assert not any(answer.snippet.text.startswith("…") for answer in answers)
    assert next(each for each in root if each.document == "sentence").snippet.text.startswith("word word")


@settings(max_examples=effort(2, 500, thorough=30))
@given(random_collections.collections, random_collections.queries)
@pytest.mark.long
def test_a_region_shows_a_query_word_wherever_the_whole_text_does(sources: Any, asked: str) -> None:
    """In short texts, the region is all of the text, so that the snippet is that of the whole text."""
    with grown_index([sources], profile_text=PROFILE, stop_words=STOP_WORDS) as index:
        kinds = [by_structure(answers="matching", reading="CO"), {"approach": "fulltext"}, {"passages": True}]
        for kind in kinds:
            whole = [answer.snippet for answer in answers_to(index, asked, **kind)]
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(engine.presentation.snippets, "LONG", 0)
                assert [answer.snippet for answer in answers_to(index, asked, **kind)] == whole


def test_words_end_at_the_borders_of_elements_in_a_region(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine.presentation.snippets, "LONG", 0)
    index = index_of(tmp_path, {"d": f"<a>{'<c>word</c>' * 900}<c>sea</c><c>lamp</c>{'<c>word</c>' * 900}</a>"})
    answer = answers_to(index, "sea lamp", approach="fulltext", reading="CO")[0]

    assert "word · [sea] · [lamp] · word" in answer.snippet.marked()
    assert np.all(np.diff(answer.snippet.marks).ravel() == [3, 4])


def test_of_a_long_text_only_a_part_is_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = {
        "plain": f"<a>{'word ' * 9_000}the lamp{' word' * 9_000}</a>",
        "accents": f"<a><p>{'wörd 火😀 ' * 9_000}the lamp{' wörd' * 9_000}</p><p>end é</p></a>",
    }
    index = index_of(tmp_path, documents)
    expected = {each.document: each.snippet for each in answers_to(index, "lamp", approach="fulltext")}
    texts = {index.ids[number]: index.text(number) for number in index.live_documents.tolist()}
    monkeypatch.setattr(text_store.TextStore, "text", None)
    again = open_reader(tmp_path / "index")

    assert {each.document: each.snippet for each in answers_to(again, "lamp", approach="fulltext")} == expected
    assert set(expected) == set(documents)
    for number in again.live_documents.tolist():
        text = texts[again.ids[number]]
        for start in (0, 1, 40_000, len(text) - 3, len(text)):
            assert again.text_parts([number], np.array([[start, start + 9]])) == [text[start : start + 9]]


@settings(max_examples=effort(10, 3000, thorough=500), deadline=None)
@given(st.text(st.sampled_from(LETTERS + SIGNS + "  -_.\u0301"), max_size=60), st.integers(1, 9), analysers())
def test_a_word_is_found_in_pieces_where_it_is_in_the_whole_text(text: str, piece: int, analyser: Analyser) -> None:
    encoded = encode(text)
    expected = analyser.words(encoded).starts.tolist()
    found = [place_of_word(analyser, encoded, number, piece) for number in range(len(expected) + 1)]

    assert found == [*expected, None]
