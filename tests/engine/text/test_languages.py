"""What xml:lang says, and languages recognised by function words."""

from __future__ import annotations

import doctest
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import snowballstemmer

from engine.text import languages
from engine.text.function_words import function_words, used_languages
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
from tests.engine.small_index import answers_to, index_of

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


# Function words are those of the languages that a collection is written in, and are dropped from queries only.


ENGLISH = "the of and to in a is that it was: "
GERMAN = "der die und in den von zu das mit sich: "


def test_a_language_is_used_if_its_commonest_words_are_in_the_documents():
    in_documents = {
        "the": 90,
        "of": 90,
        "and": 80,
        "to": 80,
        "in": 85,
        "a": 90,
        "is": 40,
        "that": 50,
        "it": 30,
        "was": 9,
    }

    def frequencies(words: Sequence[str]) -> list[int]:
        return [in_documents.get(word, 0) for word in words]

    assert used_languages(["english", "german"], 100, frequencies) == ("english",)
    assert used_languages(["english"], 10_000, frequencies) == ()
    assert used_languages([], 100, frequencies) == ()


def test_letters_and_names_do_not_make_another_language_used():
    in_documents = {**dict.fromkeys(ENGLISH[:-2].split(), 1000), "e": 975, "o": 369, "do": 927, "de": 293, "em": 189}

    def frequencies(words: Sequence[str]) -> list[int]:
        return [in_documents.get(word, 30) for word in words]

    assert used_languages(["english", "portuguese", "czech"], 1000, frequencies) == ("english",)


def test_lists_of_function_words_hold_what_questions_begin_with():
    assert {"what", "which", "does", "of"} <= function_words("english")
    assert {"was", "ein", "der"} <= function_words("german")
    assert function_words("klingon") == frozenset()


def test_function_words_are_dropped_from_a_query_but_not_from_a_phrase(tmp_path):
    index = index_of(
        tmp_path,
        {"a": f"<r>{ENGLISH} to be or not to be</r>", "b": f"<r>{ENGLISH} tides</r>", "c": f"<r>{ENGLISH} lamp</r>"},
    )

    def terms(query: str, **options: str) -> list[str]:
        return [str(term) for term in answers_to(index, query, **options).query.terms]

    assert terms("what is the lamp?") == ["lamp"]
    assert terms("what is the lamp?", function_words="keep") == ["what", "is", "the", "lamp"]
    assert terms('"to be or not to be" and lamp') == ['"to be or not to be"', "lamp"]
    assert terms("+the lamp") == ["the", "lamp"]
    assert terms("to be or not to be") == ["to", "be", "or", "not", "to", "be"]
    assert terms("//r[about(., the lamp)]") == ["lamp"]
    assert [answer.document for answer in answers_to(index, "the lamp")] == ["c"]


def test_no_word_of_another_language_is_dropped(tmp_path):
    german = index_of(tmp_path / "de", {each: f"<r>{GERMAN} lampe the {each}</r>" for each in "ab"})
    unknown = index_of(tmp_path / "none", {each: f"<r>lampe the {each}</r>" for each in "ab"})

    assert [str(term) for term in answers_to(german, "die lampe the").query.terms][1:] == ["the"]
    assert [str(term) for term in answers_to(unknown, "lampe the").query.terms] == ["lampe", "the"]


def test_function_words_of_a_phrase_must_be_in_their_places_and_do_not_count(tmp_path):
    index = index_of(
        tmp_path,
        {
            "a": f"<r><p>{ENGLISH}</p><p>the keeper of the lamp</p></r>",
            "b": f"<r><p>{ENGLISH}</p><p>keeper lamp</p></r>",
        },
    )

    asked = answers_to(index, '"keeper of the lamp"').query
    kept = answers_to(index, '"keeper of the lamp"', function_words="keep").query
    without_others = answers_to(index, '"to the"').query

    assert [str(term) for term in asked.terms] == ['"keeper of the lamp"']
    assert dict(asked.word_counts) == {"keeper": 1, "lamp": 1}
    assert dict(kept.word_counts) == {"keeper": 1, "lamp": 1, "of": 1, "the": 1}
    assert dict(without_others.word_counts) == {"the": 1, "to": 1}
    assert {answer.document for answer in answers_to(index, '"keeper of the lamp"')} == {"a"}
