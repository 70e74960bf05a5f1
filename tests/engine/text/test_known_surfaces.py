"""Spellings in the hash table of the kernels: the words of a query are found as by looking at each."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels.table import has_kernels
from engine.text import known_surfaces
from engine.text.analyser import Analyser, make_analyser
from engine.text.known_surfaces import KnownSurfaces
from engine.text.utf8 import characters_before, encode

pytestmark = pytest.mark.skipif(not has_kernels(), reason="no kernels were compiled")

WORDS = ["house", "Houses", "HAUS", "häuser", "the", "running", "run", "runs", "Straße", "x" * 40, "x" * 39]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=20).map(" ".join)


@pytest.fixture(autouse=True)
def few_are_known() -> Iterator[None]:
    before = known_surfaces.MOST_KNOWN, known_surfaces.MOST_RECENT
    yield
    known_surfaces.MOST_KNOWN, known_surfaces.MOST_RECENT = before


def found_in(known: KnownSurfaces, text: str, wanted: dict[str, str]) -> list[tuple[int, str]]:
    """Return the starts of wanted words and their values, found by the table."""
    found = known.find_in([(text, ())], wanted)
    assert found is not None
    return [(start, found.values[number]) for start, number in zip(found.starts, found.numbers, strict=True)]


def one_by_one(analyser: Analyser, text: str, wanted: dict[str, str]) -> list[tuple[int, str]]:
    """Return the starts of wanted words and their values, found without a table."""
    joined = encode(text)
    words = analyser.words(joined)
    found = []
    for start, surface in zip(characters_before(joined, words.starts).tolist(), words.surfaces, strict=True):
        value = next((wanted[term] for term in analyser.alternatives(surface) if term in wanted), None)
        found += [] if value is None else [(start, value)]
    return found


@given(
    st.lists(st.tuples(TEXTS, st.sets(st.sampled_from(WORDS))), min_size=1, max_size=8),
    st.integers(1, 14),
    st.integers(0, 5),
)
def test_words_are_found_as_one_by_one_however_few_are_known(
    requests: list[tuple[str, set[str]]], most: int, recent: int
) -> None:
    known_surfaces.MOST_KNOWN, known_surfaces.MOST_RECENT = most, recent
    analyser = make_analyser().with_languages(["german", "english"])
    for text, queries in requests:
        wanted = {term: query for query in sorted(queries) for term in analyser.alternatives(query)}

        expected = one_by_one(analyser, text, wanted)  # which makes the characters of the text known
        assert found_in(analyser.known_surfaces, text, wanted) == expected


def test_spellings_that_texts_go_on_having_are_not_looked_at_again() -> None:
    known_surfaces.MOST_KNOWN, known_surfaces.MOST_RECENT = 40, 4
    asked: list[bytes] = []

    def terms_of(surfaces: list[bytes]) -> list[tuple[str, ...]]:
        asked.extend(surfaces)
        return [(surface.decode(),) for surface in surfaces]

    known = KnownSurfaces(terms_of)
    for number in range(100):
        assert found_in(known, f"sea tide other{number} more{number}", {"tide": "t"}) == [(4, "t")]
    assert asked.count(b"sea") == asked.count(b"tide") == 1
    assert len(asked) == 202


def test_threads_find_the_same_words_while_others_learn_and_forget() -> None:
    known_surfaces.MOST_KNOWN, known_surfaces.MOST_RECENT = 60, 5
    known = KnownSurfaces(lambda surfaces: [(each.decode()[0], each.decode()[-1]) for each in surfaces])

    def search(seed: int) -> bool:
        draw = random.Random(seed)
        words = ["".join(draw.choices("abcdef", k=3)) for _ in range(20)]
        wanted = {term: term.upper() for term in draw.sample("abcdef", 2)}
        expected = [(4 * at, first) for at, word in enumerate(words) if (first := value_of(word, wanted))]
        return found_in(known, " ".join(words), wanted) == expected

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(search, range(400)))


def value_of(word: str, wanted: dict[str, str]) -> str | None:
    """Return the value of the first letter of a word that is wanted, of the first and the last one."""
    return next((wanted[letter] for letter in (word[0], word[-1]) if letter in wanted), None)
