"""Function words are those of the languages that a collection is written in, and are dropped from queries only."""

from __future__ import annotations

from collections.abc import Sequence

from engine.text.function_words import function_words, used_languages
from tests.engine.small_index import answers_to, index_of

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
    assert terms("to be or not to be") == ["to", "be", "or", "not", "to", "be", '"to be or not to be"']
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
