"""Phrases that no document contains count as their words in a longer query; others stay phrases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from engine.index.reader import IndexReader
from engine.notices import Notice
from tests.engine.small_index import answers_to, grown_index, index_of

DOCUMENTS = {
    "a": "<a><p>The daughters of the keeper were glad that night.</p></a>",
    "b": "<a><p>A keeper wrote down the weather, hour by hour.</p></a>",
    "c": "<a><p>Fog lay over a mole until morning.</p></a>",
}
ABSENT = '"glad daughters of the keeper"'
NOTICE = Notice("absent_phrases", {"phrases": (ABSENT,), "others": 0})


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexReader]:
    with index_of(tmp_path_factory.mktemp("absent"), DOCUMENTS, stem="english", stop="none") as reader:
        yield reader


@pytest.mark.parametrize(
    ("query", "notices", "documents"),
    [
        (f"who wrote {ABSENT}", (NOTICE,), {"a", "b"}),
        (f"who are {ABSENT}?", (NOTICE,), {"a", "b"}),  # function words are words, too
        ('weather "daughters of the keeper"', (), {"a", "b"}),  # it occurs
        ('weather "keeper of the daughters" "fog lay"', None, {"a", "b", "c"}),
        (ABSENT, (NOTICE,), {"a", "b"}),  # a whole sentence
        ('"glad daughters"', (), set()),  # the phrase or nothing
        ('"glad daughters of" "night glad"', (), set()),
        (f"weather +{ABSENT}", (), set()),
        (f"//p[about(., weather {ABSENT})]", (), {"b"}),
    ],
)
def test_an_absent_phrase_counts_as_its_words_beside_others(
    index: IndexReader, query: str, notices: tuple[Notice, ...] | None, documents: set[str]
) -> None:
    answers = answers_to(index, query, function_words="drop")

    assert {answer.document for answer in answers} == documents
    if notices is None:
        notices = (Notice("absent_phrases", {"phrases": ('"keeper of the daughters"',), "others": 0}),)
    assert answers.notices == notices


@pytest.mark.parametrize("settings", [{"operator": "and"}, {"rank_by": "structure"}, {"approach": "fulltext"}])
def test_phrases_stay_as_typed(index: IndexReader, settings: dict[str, Any]) -> None:
    assert not answers_to(index, f"weather {ABSENT}", **settings).notices


def test_words_of_an_absent_phrase_score_as_words(index: IndexReader) -> None:
    quoted, plain = (answers_to(index, query) for query in (f"wrote {ABSENT}", f"wrote {ABSENT}".replace('"', "")))

    assert columns(quoted) == columns(plain)


def test_a_notice_names_two_phrases(index: IndexReader) -> None:
    query = "weather " + " ".join(f'"fog {word}"' for word in ("hour", "keeper", "night", "glad", "weather"))

    named = {"phrases": ('"fog hour"', '"fog keeper"'), "others": 3}
    assert answers_to(index, query).notices == (Notice("absent_phrases", named),)


def columns(answers: Any) -> list[tuple[str, str, float | None]]:
    return [(answer.document, answer.path, answer.score) for answer in answers]


def test_a_phrase_with_a_pattern_is_named_as_it_was_typed(index: IndexReader) -> None:
    found = answers_to(index, 'fog "ke* hour"').notices

    assert Notice("absent_phrases", {"phrases": ('"ke* hour"',), "others": 0}) in found


def test_deleted_documents_contain_nothing() -> None:
    with grown_index([DOCUMENTS, {key: text for key, text in DOCUMENTS.items() if key != "a"}]) as one:
        assert answers_to(one, 'weather "keeper were glad"').notices
