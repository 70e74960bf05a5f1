"""Filters of other programs as conditions on fields."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

import foxir
from engine.errors import ArgumentError, FoxirError
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
    ],
)
def test_a_wrong_filter_is_refused(given: Any) -> None:
    with pytest.raises(ArgumentError, match="filter"):
        condition_of(given)


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


def test_retrievers_of_llamaindex_take_their_filters(sample: Sample) -> None:
    pytest.importorskip("llama_index.core")
    from llama_index.core.vector_stores.types import (  # noqa: PLC0415
        FilterCondition,
        FilterOperator,
        MetadataFilter,
        MetadataFilters,
    )

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
