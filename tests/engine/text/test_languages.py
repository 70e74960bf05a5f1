"""What xml:lang says, and languages recognised by function words."""

from __future__ import annotations

import doctest
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import snowballstemmer

from engine.text import languages
from engine.text.languages import (
    AUTO,
    LIGHT,
    NONE,
    SNOWBALL,
    STEMMERS,
    common_words,
    language_names,
    language_number,
    recognised_languages,
    stemmer_of,
)

SENTENCES = {
    "english": "The lamp of the light house was seen by those who came in from the sea.",
    "german": "Die Lampe des Leuchtturms wurde von denen gesehen, die auf dem Meer waren und nach Hause kamen.",
    "french": "La lampe du phare était vue par ceux qui venaient de la mer avec les bateaux et dans la nuit.",
    "spanish": "La lámpara del faro era vista por los que venían del mar con sus barcos y en la noche.",
    "dutch": "De lamp van het vuurtoren werd gezien door hen die van de zee kwamen en niet naar huis gingen.",
    "danish": "Lampen på fyret blev set af dem der kom fra havet, og de var ikke bange for at sejle hjem.",
    "russian": "Лампа маяка была видна тем, кто возвращался с моря, и они не боялись, что это ночь.",
    "turkish": "Deniz feneri için bir lamba vardı ve bu lamba denizden gelenler tarafından çok sevilen bir ışıktı.",
    NONE: "Lucerna in turri est et non ad mare sed ab mari per noctem quae longa erat cum videtur.",  # Latin
}


def recognised(*texts: str) -> list[str]:
    """Return the language of each text, recognised in one batch."""
    words = [(word.strip(".,").encode(), number) for number, text in enumerate(texts) for word in text.split()]
    distinct = sorted({word for word, _ in words})
    numbers = np.array([distinct.index(word) for word, _ in words], np.int64)
    documents = np.array([number for _, number in words], np.int64)
    found = recognised_languages(distinct, numbers, documents, len(texts))
    return [language_names()[number] for number in found.tolist()]


@pytest.mark.parametrize("language", SENTENCES)
def test_a_sentence_shows_its_language(language: str) -> None:
    assert recognised(SENTENCES[language]) == [language]


def test_the_language_of_a_document_does_not_depend_on_the_others() -> None:
    assert recognised(*SENTENCES.values()) == list(SENTENCES)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "array_map in_array strpos",
        "1823 1824 1825",
        "the " + "lamp " * 30,  # one word in 31
        "the und",  # as English as German
    ],
)
def test_a_text_without_a_clear_language_has_none(text: str) -> None:
    assert recognised(text) == [NONE]


def test_a_long_list_shows_its_language_by_different_function_words_not_by_repeated_letters() -> None:
    table = "lamp 1823 Bishop Rock " * 100
    letters = "a o s i e " * 100  # each a word of Romanian, Czech or another language

    assert recognised(f"{table} of the and to in was that for with from") == ["english"]
    assert recognised(f"{table} of the and") == [NONE]
    assert recognised(f"{table} {letters} of the and to in was that for with from") == ["english"]
    assert recognised(letters) == [NONE]


@pytest.mark.parametrize("language", [name for name in language_names() if name != NONE])
def test_the_function_words_of_a_language_are_recognised_as_its_own(language: str) -> None:
    assert recognised(" ".join(sorted(common_words(language)))) == [language]


@pytest.mark.parametrize(
    ("tag", "language"),
    [
        *(("en", "english"), ("en-GB", "english"), ("EN_us", "english"), ("eng", "english"), ("English", "english")),
        *((" de ", "german"), ("ger", "german"), ("nb", "norwegian"), ("sr-Latn", "serbian")),
        *(("la", NONE), ("zh-Hans", NONE), ("tlh", NONE), ("???", NONE)),
        *(("", None), ("und", None), ("mul", None)),
    ],
)
def test_values_of_xml_lang_name_languages(tag: str, language: str | None) -> None:
    number = language_number(tag)

    assert (None if number is None else language_names()[number]) == language


def test_every_language_has_a_stemmer_and_every_snowball_stemmer_is_offered() -> None:
    assert set(SNOWBALL) == set(snowballstemmer.algorithms())
    assert set(language_names()) == {NONE, *SNOWBALL} - {"porter", "dutch_porter"}
    assert {AUTO, NONE, LIGHT, *SNOWBALL} == set(STEMMERS)


@pytest.mark.parametrize(
    ("language", "word", "stem"),
    [("german", "häuser", "haus"), ("french", "maisons", "maison"), ("none", "houses", "houses")],
)
def test_words_are_stemmed_by_the_stemmer_of_a_language(language: str, word: str, stem: str) -> None:
    assert stemmer_of(language)(word) == stem


def test_doctests_of_languages() -> None:
    assert doctest.testmod(languages).failed == 0


# Stemmers give the same stems in several threads as in one.


@pytest.mark.usefixtures("hasty_threads")
def test_threads_do_not_get_each_others_stems() -> None:
    words = [
        f"{stem}{ending}" for stem in ("naveg", "luz", "farol", "nublad") for ending in ("ações", "amente", "arão")
    ]
    expected = [stemmer_of("portuguese")(word) for word in words]
    stemmer_of.cache_clear()  # stems are kept, and would else not be computed again
    stem = stemmer_of("portuguese")

    def stems(first: int) -> list[str]:
        return [stem.__wrapped__(word) for word in words[first:] + words[:first]]  # type: ignore[attr-defined]

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(stems, [0, 3, 6, 9] * 10))

    assert found == [expected[first:] + expected[:first] for first in [0, 3, 6, 9] * 10]
