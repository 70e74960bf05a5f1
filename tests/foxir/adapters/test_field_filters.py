"""Filters of other programs as conditions on fields."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

import foxir
from engine.errors import ArgumentError, FoxirError
from engine.fields.conditions import ByKey, Where, field_tests, wanted_values
from foxir.adapters.field_filters import condition_of
from tests.foxir.conftest import Sample


@pytest.mark.parametrize(
    ("given", "condition"),
    [
        ({}, ""),
        ("year > 1", "year > 1"),
        ({"type": "review"}, 'type = "review"'),
        ({"type": 'a "b"'}, "type = 'a \"b\"'"),
        ({"date": {"$lt": date(1857, 5, 1)}}, "date < 1857-05-01"),
        ({"year": {"$in": [1, 2]}}, "year in (1, 2)"),
        ({"year": {"$not": {"$nin": [1]}}}, "not (not (year in (1)))"),
        ({"$and": [{"a": 1}, {"$not": {"b": {"$exists": True}}}]}, "((a = 1) and (not (b = *)))"),
        ({"$or": [{"a": 1}, {}]}, ""),
        ({"a": {"$contains": "x\"y'z"}}, 'a : "x y\'z"'),
    ],
)
def test_a_filter_is_a_condition(given: Any, condition: str) -> None:
    assert condition_of(given) == condition


@pytest.mark.parametrize(
    "given",
    [
        5,
        {"year": {"$gt": None}},
        {"year": {"gt": 1}},
        {"$xor": []},
        {"year": {"$in": []}},
        {"$or": {}},
        {"a": "'\""},
        {"a = 1 or b": 2},
        {"$not": {}},
        {"a": {"$not": {}}},
        {"a": {"$exists": "false"}},
        {"a": 10**5000},
    ],
)
def test_a_wrong_filter_is_refused(given: Any) -> None:
    with pytest.raises(ArgumentError, match="filter"):
        condition_of(given)


@pytest.mark.long
def test_retrievers_of_langchain_take_filters_and_have_fields_in_metadata(sample: Sample) -> None:
    pytest.importorskip("langchain_core")
    from foxir.adapters.langchain import FoxirRetriever  # noqa: PLC0415

    retriever = FoxirRetriever(index=sample.index, k=5, filter={"year": {"$gte": 2010}})
    found = retriever.invoke("lens fog signal")
    assert found
    assert all(document.metadata["year"] >= 2010 for document in found)
    fewer = retriever.invoke("lens fog signal", filter="year <= 2015")
    assert {document.metadata["year"] for document in fewer} <= set(range(2010, 2016))
    with pytest.raises(foxir.SettingsError, match="did you mean 'year'"):
        retriever.invoke("lens", filter={"yaer": 1})


@pytest.mark.long
def test_retrievers_of_llamaindex_take_their_filters(sample: Sample) -> None:
    pytest.importorskip("llama_index.core")
    from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters  # noqa: PLC0415

    from foxir.adapters.llamaindex import FoxirRetriever  # noqa: PLC0415

    either = MetadataFilters(
        filters=[
            MetadataFilter(key="year", value=2014, operator=FilterOperator.EQ),
            MetadataFilter(key="author", value="haverkamp", operator=FilterOperator.TEXT_MATCH),
        ],
        condition=FilterCondition.OR,
    )
    found = FoxirRetriever(sample.index, k=8, filters=either).retrieve("lens")
    assert found
    assert all(node.metadata["year"] == 2014 or node.metadata["author"] == ["Haverkamp"] for node in found)


def test_every_error_of_a_filter_is_one_of_foxir() -> None:
    assert issubclass(ArgumentError, FoxirError)


def test_a_filter_that_contains_itself_and_a_part_that_is_no_condition_are_refused() -> None:
    endless: dict[str, Any] = {}
    endless["$not"] = endless
    with pytest.raises(ArgumentError, match="nested too deep"):
        condition_of(endless)
    with pytest.raises(FoxirError, match="condition"):
        condition_of({"$and": ["year=1) or (author=*"]})


def test_values_of_a_filter_are_no_patterns() -> None:
    values = (condition_of({"author": "*"}), condition_of({"date": {"$in": ["1000..3000"]}}))
    tests = [next(field_tests(Where.parse(each).condition)) for each in values]
    assert wanted_values(tests[0], "text", "") == ByKey(b"*", b"*")
    with pytest.raises(FoxirError, match="a date"):
        wanted_values(tests[1], "date", "")
    assert wanted_values(next(field_tests(Where.parse("author = *").condition)), "text", "") == ByKey()
    assert str(tests[0]) == 'author = "*"'
