"""A word budget that no element fits is filled with passages, or with nothing, and a notice says so."""

from __future__ import annotations

import pickle

import pytest

import foxir
from engine.answers.answer_columns import AnswerColumns
from engine.errors import QueryLimitError, WordBudgetError
from engine.notices import Notice
from foxir.searching.first_answers import search_within_budget
from tests.foxir.conftest import Sample

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
