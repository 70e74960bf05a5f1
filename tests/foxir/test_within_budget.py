"""A word budget that no element fits is filled with passages, or with nothing, and a notice says so."""

from __future__ import annotations

import pytest

import foxir
from tests.foxir.conftest import Sample

QUERY = "fog signal range"


def test_passages_take_the_place_of_elements_that_are_all_too_long(sample: Sample) -> None:
    shortest = min(answer.words for answer in sample.index.search(QUERY))
    budget = shortest - 1

    found = sample.index.search(QUERY, word_budget=budget)
    expected = sample.index.search(QUERY, word_budget=budget, passages=True)

    assert found
    assert [(one.document, one.start, one.end) for one in found] == [
        (one.document, one.start, one.end) for one in expected
    ]
    assert sum(answer.words for answer in found) <= budget
    assert found.notices == (
        f"word_budget = {budget}: the shortest answer has {shortest} words, so passages are returned.",
    )
    assert not expected.notices


def test_nothing_is_returned_where_passages_are_too_long_too(sample: Sample) -> None:
    for keywords in ({}, {"passages": True}):
        found = sample.index.search(QUERY, word_budget=1, **keywords)

        assert not found
        assert found.notices[0].startswith("no answer fits word_budget = 1: the shortest answer has ")
        assert found.to_dict()["answers"] == []


def test_other_mistakes_are_raised(sample: Sample) -> None:
    with pytest.raises(foxir.QueryError, match=r"\^"):
        sample.index.search("//sec[about(., fog", word_budget=1)
