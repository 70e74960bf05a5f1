"""What the retrievers of all hosts have in common, and budgets of tokens."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import foxir
from engine.errors import ArgumentError, FoxirError
from engine.fields.conditions import ByKey, Where, field_tests, wanted_values
from foxir.adapters import element_retriever
from foxir.adapters.element_retriever import ElementRetriever, identifier, metadata
from foxir.adapters.field_filters import condition_of
from foxir.searching.token_budget import token_counter, within_tokens
from tests.foxir.adapters.changing_index import assert_follows_its_index
from tests.foxir.conftest import Sample

QUERY = "how far can a fog signal be heard"


def count_words(text: str) -> int:
    return len(text.split())


def test_a_retriever_returns_the_answers_of_the_index(sample: Sample) -> None:
    retriever = ElementRetriever.of(sample.folder / "sample.foxir", {"passages": True}, k=3)

    assert retriever.retrieve(QUERY).documents == sample.index.search(QUERY, passages=True, max_answers=3).documents
    assert len(retriever.retrieve(QUERY, 1)) == 1
    assert retriever.retrieve(QUERY, 2, passages=False)[0].sentences is None


def test_a_retriever_keeps_to_its_scope(sample: Sample) -> None:
    scope = {"passages": True, "inside": "//body", "outside": "//list", "documents": "tei/*"}
    retriever = ElementRetriever.of(sample.index, scope)
    answers = retriever.retrieve(QUERY)

    assert answers
    assert all("/body[1]/" in path and "/list[" not in path for path in answers.paths)
    assert all(document.startswith("tei/") for document in answers.documents)
    assert not all(document.startswith("tei/") for document in retriever.retrieve(QUERY, documents=None).documents)


@pytest.mark.parametrize("budget", [None, 50])
def test_a_scope_without_documents_is_reported(
    sample: Sample, caplog: pytest.LogCaptureFixture, budget: int | None
) -> None:
    retriever = ElementRetriever.of(sample.index, token_budget=budget, count_tokens=count_words if budget else None)
    assert retriever.retrieve(QUERY)
    assert retriever.retrieve("xyzzy") == sample.index.search("xyzzy", syntax="plain")
    assert not caplog.records

    found = retriever.retrieve(QUERY, documents="nowhere/*")
    assert len(found) == 0
    assert (found.notices[0].code, found.notices[0].fields["pattern"]) == ("no_document_fits", "nowhere/*")
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert caplog.records[0].getMessage() == f"no answer to '{QUERY}': {found.notices[0]}"
    assert sample.index.search(QUERY, documents="nowhere/*").notices == found.notices


@pytest.mark.parametrize("query", ['fog "signal', "//p[about(., fog", "fog -signal", "+fog (signal", "fog AND signal*"])
def test_signs_in_a_query_are_no_operators(sample: Sample, query: str) -> None:
    retriever = ElementRetriever.of(sample.index, {"passages": True}, per_document=None)

    assert retriever.retrieve(query).paths == sample.index.search(query, passages=True, syntax="plain")[:10].paths
    strict = ElementRetriever.of(sample.index, {"syntax": "path"})
    if query.startswith("//"):
        with pytest.raises(foxir.QueryError):
            strict.retrieve(query)


def test_metadata_are_plain_values_that_cite_the_answer(sample: Sample) -> None:
    answer = sample.index.search(QUERY, passages=True)[0]
    found = json.loads(json.dumps(metadata(answer)))

    assert sample.index.text(found["document"])[found["start"] : found["end"]] == answer.text
    assert found["breadcrumb"] == answer.breadcrumb
    assert identifier(answer) == f"{answer.document}#{answer.start}:{answer.size}"
    assert identifier(sample.index.search(QUERY)[0]).endswith("]")


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"k": 0}, foxir.ArgumentError, "k: expected a whole number from 1"),
        ({"k": "3"}, TypeError, "k: expected int"),
        ({"settings": {"passage": True}}, foxir.SettingsError, "passages"),
        ({"settings": 3}, TypeError, "settings"),
        ({"token_budget": 0, "count_tokens": len}, foxir.ArgumentError, "token_budget"),
        ({"token_budget": 5}, TypeError, "needs count_tokens"),
    ],
)
def test_a_wrong_argument_is_named(
    sample: Sample, keywords: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        ElementRetriever.of(sample.index, **keywords)  # type: ignore[arg-type]


def test_a_closed_index_is_named(sample: Sample) -> None:
    index = foxir.open_index(sample.folder / "sample.foxir")
    retriever = ElementRetriever.of(index)
    index.close()

    with pytest.raises(foxir.ClosedIndexError, match="open it again"):
        retriever.retrieve(QUERY)


def test_a_retriever_follows_its_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def make(index: object) -> object:
        retriever = ElementRetriever.of(index)
        return lambda query: [answer.readable_text for answer in retriever.retrieve(query)]

    assert_follows_its_index(make, tmp_path / "x.foxir", monkeypatch)


def test_a_new_generation_is_looked_for_once_a_second(sample: Sample, monkeypatch: pytest.MonkeyPatch) -> None:
    retriever = ElementRetriever.of(sample.folder / "sample.foxir", k=1)
    looked = []
    monkeypatch.setattr(foxir.Index, "refresh", lambda _index: looked.append(1))
    now = time.monotonic()
    for seconds in (0.1, 0.5, 1.5, 1.6, 2.4, 2.6):
        monkeypatch.setattr(element_retriever.time, "monotonic", lambda seconds=seconds: now + seconds)
        retriever.retrieve(QUERY)
    assert len(looked) == 2


@settings(max_examples=25)
@given(budget=st.integers(1, 400), k=st.integers(1, 20))
def test_a_budget_of_tokens_is_never_exceeded(sample: Sample, budget: int, k: int) -> None:
    def count(text: str) -> int:
        return len(text) // 4 + 1

    answers = ElementRetriever.of(sample.index, k=k, token_budget=budget, count_tokens=count).retrieve(QUERY)

    assert sum(count(answer.readable_text) for answer in answers) <= budget
    assert len(answers) <= k
    assert list(answers.ranks) == sorted(answers.ranks)


@pytest.mark.long
def test_an_answer_that_does_not_fit_is_passed_over(sample: Sample) -> None:
    answers = sample.index.search(QUERY, max_answers=10)
    sizes = [count_words(answer.text) for answer in answers]
    n_passed_over = 0
    for budget in range(1, sum(sizes) + 1, 7):
        left, expected = budget, []
        for rank, size in enumerate(sizes, 1):
            if size <= left:
                left -= size
                expected.append(rank)

        assert within_tokens(answers, budget, count_words).ranks.tolist() == expected
        n_passed_over += expected != list(range(1, len(expected) + 1))
    assert n_passed_over


@pytest.mark.parametrize("count", [-1, 2.5, None, True])
def test_a_counter_that_returns_no_number_is_refused(sample: Sample, count: object) -> None:
    with pytest.raises(foxir.ArgumentError, match="count_tokens: expected a whole number"):
        within_tokens(sample.index.search(QUERY), 10, lambda text: count)  # type: ignore[arg-type, return-value]


def test_a_counter_is_loaded_by_name(tmp_path: Path) -> None:
    assert token_counter("builtins:len")("three") == 5
    for name, message in (
        ("no_such_module:f", "no_such_module"),
        ("builtins:nothing", "nothing"),
        ("builtins:__name__", "expected a function"),
        (str(tmp_path / "tokenizer.json"), "tokenizer"),
        ("no-such-encoding", "no-such-encoding"),
    ):
        with pytest.raises(foxir.ArgumentError, match=message):
            token_counter(name)


@pytest.mark.long
def test_a_program_that_imports_an_adapter_alone_is_told_in_sentences(sample: Sample) -> None:
    code = f"""
from foxir.adapters.element_retriever import ElementRetriever
ElementRetriever.of({str(sample.folder / "sample.foxir")!r}).retrieve("fog signal", where="year < 1066")
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stderr

    assert "no document fulfils this" in said
    assert "Notice(" not in said


# Filters of other programs as conditions on fields.


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
