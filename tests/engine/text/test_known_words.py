"""Words whose terms are known: found by their terms as by looking at each."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels.table import without_kernels
from engine.text import known_surfaces
from engine.text.analyser import Analyser, make_analyser
from engine.text.known_surfaces import KnownTexts, KnownWords
from engine.text.utf8 import encode
from engine.text.vocabulary import number_slices, surfaces_of, term_ids
from tests.reference.random_xml import LETTERS, SIGNS, analysers

SURFACES = st.sets(st.sampled_from(["house", "Houses", "HAUS", "häuser", "the", "running", "run", "runs", "Straße"]))


@given(st.lists(st.tuples(SURFACES, SURFACES), min_size=1, max_size=6), st.integers(1, 12))
def test_words_are_found_by_their_terms_however_few_are_known(requests: list[tuple[set[str], set[str]]], most: int):
    analyser = make_analyser(stop="english").with_languages(["german", "english"])
    known, before = analyser.known_words, known_surfaces.MOST_WORDS
    known_surfaces.MOST_WORDS = most
    try:
        for words, queries in requests:
            wanted = {term for query in queries for term in analyser.alternatives(query)}
            expected = {word: terms for word in words if wanted & {*(terms := analyser.alternatives(word))}}

            assert known.with_terms(words, wanted) == expected
            assert known.terms(words) == {word: analyser.alternatives(word) for word in words}
    finally:
        known_surfaces.MOST_WORDS = before


def test_a_word_is_looked_at_once_while_it_is_known():
    asked: list[str] = []

    def terms_of(words: list[str]) -> list[tuple[str, ...]]:
        asked.extend(words)
        return [(word.lower(),) for word in words]

    known = KnownWords(terms_of)

    assert known.with_terms({"Sea", "sea", "tide"}, ["sea"]) == {"Sea": ("sea",), "sea": ("sea",)}
    assert known.with_terms({"Tide", "sea"}, ["tide", "lamp"]) == {"Tide": ("tide",)}
    assert sorted(asked) == ["Sea", "Tide", "sea", "tide"]


def test_threads_find_the_same_words_while_others_learn_and_forget(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(known_surfaces, "MOST_WORDS", 40)
    known = KnownWords(lambda words: [(word[0], word[-1]) for word in words])
    letters = "abcdef"

    def search(seed: int) -> bool:
        draw = random.Random(seed)
        words = {"".join(draw.choices(letters, k=3)) for _ in range(20)}
        terms = draw.sample(letters, 2)
        expected = {word: (word[0], word[-1]) for word in words if {word[0], word[-1]} & {*terms}}
        return known.with_terms(words, terms) == expected

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(search, range(400)))


TEXTS = st.lists(st.sampled_from(["the sea", "Houses", "", "running-on", "日本語", "a" * 50, "of", "x|y"]), max_size=9)


@given(st.lists(st.tuples(TEXTS, st.sampled_from([(), ("the", "of")])), min_size=1, max_size=6), st.integers(1, 12))
def test_known_texts_have_the_terms_that_they_have_alone(requests: list[tuple[list[str], tuple[str, ...]]], most: int):
    analyser = make_analyser(stem="english")
    before, known_surfaces.MOST_TEXTS = known_surfaces.MOST_TEXTS, most
    try:
        for texts, without in requests:
            words = analyser.folded_words(without)
            found = analyser.terms_of_each(texts, words)

            alone = [make_analyser(stem="english").terms_of_each([text], words)[0] for text in texts]
            assert found == alone
            for terms in found:  # what is done to them does not reach the known ones
                terms.append("more")
    finally:
        known_surfaces.MOST_TEXTS = before


def test_a_short_text_is_analysed_once_for_each_set_of_words_that_are_left_out():
    asked: list[str] = []

    def terms_of(texts: list[str], without: frozenset[str]) -> list[list[str | None]]:
        asked.extend(texts)
        return [[None if text in without else text] for text in texts]

    known = KnownTexts(terms_of)

    assert known.terms(["sea", "of", "sea"], frozenset()) == [["sea"], ["of"], ["sea"]]
    assert known.terms(["of", "sea"], frozenset({"of"})) == [[None], ["sea"]]
    assert known.terms(["of", "sea", "l" * 41], frozenset({"of"})) == [[None], ["sea"], ["l" * 41]]
    assert known.terms(["l" * 41], frozenset()) == [["l" * 41]]
    assert asked == ["sea", "of", "of", "sea", "l" * 41, "l" * 41]


BATCHES = st.one_of(st.text(max_size=60), st.text(st.sampled_from(LETTERS + SIGNS + "-'&_/."), max_size=60))
PIECES = st.lists(st.text(st.sampled_from("abé"), min_size=1, max_size=200).map(str.encode), max_size=12)


@given(BATCHES, analysers())
def test_term_ids_equal_those_of_the_analyser_word_by_word(text: str, analyser: Analyser) -> None:
    words = analyser.words(encode(text))
    ids, terms = term_ids(surfaces_of(words), analyser)

    assert ids.dtype == np.int32
    assert [terms[number] if number >= 0 else None for number in ids.tolist()] == list(
        map(analyser.term, words.surfaces)
    )
    assert len(set(terms)) == len(terms)


@given(PIECES)
def test_slices_have_equal_numbers_exactly_if_they_are_equal(pieces: list[bytes]) -> None:
    ends = np.cumsum([0, *map(len, pieces)]).astype(np.int64)

    for kernels in (nullcontext, without_kernels):
        with kernels():
            numbers, example = number_slices(b"".join(pieces), ends[:-1], ends[1:])

        assert [pieces[example[number]] for number in numbers.tolist()] == pieces
        assert len(example) == len(set(pieces))


@given(st.integers(0, 2**32 - 1), st.integers(1, 9))
def test_a_table_of_words_grows(seed: int, length: int) -> None:
    values = np.random.default_rng(seed).integers(0, 3000, 2000).tolist()
    pieces = [str(value).zfill(length).encode() for value in values]
    ends = np.cumsum([0, *map(len, pieces)]).astype(np.int64)

    numbers, example = number_slices(b"".join(pieces), ends[:-1], ends[1:])

    assert len(example) == len(set(values))
    assert [values[example[number]] for number in numbers.tolist()] == values


def test_long_words_that_differ_at_their_end_have_different_numbers() -> None:
    words = [b"x" * 64, b"x" * 64 + b"a", b"x" * 64 + b"b", b"x" * 64 + b"a"]
    ends = np.cumsum([0, *map(len, words)]).astype(np.int64)

    for kernels in (nullcontext, without_kernels):
        with kernels():
            numbers, _ = number_slices(b"".join(words), ends[:-1], ends[1:])

        assert numbers[1] == numbers[3]
        assert len(set(numbers.tolist())) == 3
