"""The first answers of a search are those of a slice of all, however deep the search ranks."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from typing import Any

import pytest

import foxir
from engine.answers.answer_columns import AnswerColumns
from engine.errors import QueryLimitError, WordBudgetError
from engine.notices import Notice
from foxir.searching.first_answers import search_within_budget, total_relation
from tests.foxir.conftest import Sample

WAYS: Mapping[str, dict[str, Any]] = {
    "elements": {},
    "passages": {"passages": True, "max_sentences": 2},
    "grouped": {"group_by_article": True},
    "few of an article": {"max_per_article": 2},
    "overlapping": {"overlap": "keep"},
    "structure": {"rank_by": "structure"},
    "a run of the thesis": {"named": "H-oCRE-MpE"},
    "articles": {"approach": "fulltext"},
    "budget": {"word_budget": 400},
    "fewer than are asked for": {"max_answers": 2},
}
QUERIES = ("fog signal range", "the lamp of the lighthouse keeper", "//sec[about(., fog signal)]//p", "zeppelin")


@pytest.mark.parametrize("settings", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("query", QUERIES)
def test_first_answers_are_a_slice_of_all(sample: Sample, query: str, settings: dict[str, Any]) -> None:
    every = sample.index.search(query, **settings)
    for n_first in (1, 3, 11):
        assert_same(sample.index.search(query, first=n_first, **settings), every[:n_first])


def test_images_are_combined_with_text_by_the_ranks_of_all(sample: Sample) -> None:
    key = sample.index.reader.images.key(0)
    query = f"//p[about(., lamp src:{key})]"
    every = sample.index.search(query, rank_by="structure")

    assert len(every) > 3
    assert_same(sample.index.search(query, rank_by="structure", first=3), every[:3])


def assert_same(found: foxir.Answers, expected: foxir.Answers) -> None:
    assert found == expected
    for name in ("rsv", "article_ranks", "article_scores"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()
    assert (found.settings, found.notices) == (expected.settings, expected.notices)
    assert found.snippets == expected.snippets


def test_fewer_are_ranked(sample: Sample) -> None:
    assert len(sample.index.search("lamp", first=3)._columns) == 3
    assert len(sample.index.search("lamp")) > 3


def test_a_total_is_exact_if_fewer_answers_were_found_than_ranked() -> None:
    assert [total_relation(found, 10) for found in (0, 9, 10)] == ["exact", "exact", "at_least"]


# A word budget that no element fits is filled with passages, or with nothing, and a notice says so.


QUERY = "fog signal range"


def test_passages_take_the_place_of_elements_that_are_all_too_long(sample: Sample) -> None:
    shortest = min(answer.words for answer in sample.index.search(QUERY))
    budget = shortest - 1

    found = sample.index.search(QUERY, unit="element", word_budget=budget)
    expected = sample.index.search(QUERY, word_budget=budget, passages=True)

    assert found
    assert [(one.document, one.start, one.end) for one in found] == [
        (one.document, one.start, one.end) for one in expected
    ]
    assert sum(answer.words for answer in found) <= budget
    assert found.notices == (Notice("passages_instead", {"budget": budget, "shortest": shortest}),)
    assert not expected.notices


def test_the_explanation_is_of_the_passages_that_are_returned(sample: Sample) -> None:
    budget = min(answer.words for answer in sample.index.search(QUERY)) - 1
    best = sample.index.search(QUERY, unit="element", word_budget=budget)[0]

    explained = sample.index.explain(QUERY, best.document, best.path, unit="element", word_budget=budget)
    assert 1 in [passage.outcome.rank for passage in explained.passages]
    with pytest.raises(WordBudgetError, match="the shortest answer has"):
        sample.index.explain(QUERY, best.document, best.path, unit="element", word_budget=1)


def test_nothing_is_returned_where_passages_are_too_long_too(sample: Sample) -> None:
    for keywords in ({}, {"passages": True}):
        found = sample.index.search(QUERY, word_budget=1, **keywords)

        assert not found
        assert (found.notices[0].code, found.notices[0].fields["budget"]) == ("all_too_long", 1)
        assert found.to_dict()["answers"] == []
        assert found.why_empty() == pickle.loads(pickle.dumps(found)).why_empty() == ""
        assert (found.settings.word_budget, found.settings.max_answers) == (1, foxir.Settings().max_answers)


def test_passages_are_not_returned_in_place_of_elements_of_some_tags(sample: Sample) -> None:
    found = sample.index.search(QUERY, answers="//p", word_budget=3)

    assert not found
    assert (found.notices[0].code, found.notices[0].fields["budget"]) == ("all_too_long", 3)


def test_other_mistakes_are_raised(sample: Sample) -> None:
    with pytest.raises(foxir.QueryError, match=r"\^"):
        sample.index.search("//sec[about(., fog", word_budget=1)


def test_a_limit_that_the_search_for_passages_exceeds_is_raised(sample: Sample) -> None:
    columns = sample.index.search(QUERY)._columns

    def search(settings: foxir.Settings) -> AnswerColumns:
        if settings.word_budget is None:
            return columns
        raise QueryLimitError("too long") if settings.unit == "sentence" else WordBudgetError.too_small(1, 9)

    with pytest.raises(QueryLimitError):
        search_within_budget(search, foxir.make_settings(word_budget=1))


def test_the_error_of_a_word_budget_keeps_its_numbers_between_processes() -> None:
    error = pickle.loads(pickle.dumps(WordBudgetError.too_small(12, 20)))

    assert error.notice == Notice("budget_too_small", {"budget": 12, "shortest": 20})


def test_as_many_words_as_the_notice_names_are_enough(sample: Sample) -> None:
    shortest = sample.index.search(QUERY, word_budget=1).notices[0].fields["shortest"]

    assert len(sample.index.search(QUERY, word_budget=shortest)) > 0
    assert len(sample.index.search(QUERY, word_budget=shortest - 1)) == 0
