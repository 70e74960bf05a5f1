"""Records as JSON: converted by their types as value by value."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from math import inf, isfinite, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foxir.service.json.records import (
    OF_PAGES,
    DocumentOutline,
    FoundAnswer,
    IndexStatus,
    OutlineElement,
    SearchResult,
    to_dict,
)

NUMBERS = st.floats() | st.sampled_from([inf, -inf, nan])
LEFT_OUT = ("text", "readable_text", "blocks", "without", "also_in")


def value_by_value(record: Any) -> Any:
    """Return a record as JSON has it, each value looked at."""
    if is_dataclass(record):
        plain = {each.name: value_by_value(getattr(record, each.name)) for each in fields(record)}
        if isinstance(record, FoundAnswer):
            images = () if record.image_score is not None else ("image", "image_score")
            left_out = [*OF_PAGES[FoundAnswer], *(name for name in LEFT_OUT if plain[name] is None)]
            plain = {name: value for name, value in plain.items() if name not in (*left_out, *images)}
        if isinstance(record, SearchResult):
            missing = [name for name in ("meant", "groups", "total_groups") if plain[name] is None]
            plain = {name: value for name, value in plain.items() if name not in missing}
        return plain
    if isinstance(record, list):
        return [value_by_value(each) for each in record]
    if isinstance(record, dict):
        return {name: value_by_value(value) for name, value in record.items()}
    return str(record) if isinstance(record, float) and not isfinite(record) else record


@given(st.builds(FoundAnswer, rsv=NUMBERS, score=NUMBERS | st.none(), article_score=NUMBERS))
@pytest.mark.long
def test_an_answer_is_converted_as_value_by_value(answer: FoundAnswer) -> None:
    assert repr(to_dict(answer)) == repr(value_by_value(answer))


@given(st.builds(SearchResult, seconds=NUMBERS))
@pytest.mark.long
def test_a_result_is_converted_as_value_by_value(result: SearchResult) -> None:
    assert repr(to_dict(result)) == repr(value_by_value(result))


@given(st.builds(DocumentOutline, elements=st.lists(st.builds(OutlineElement, score=NUMBERS))) | st.builds(IndexStatus))
def test_other_records_are_converted_as_value_by_value(record: Any) -> None:
    assert repr(to_dict(record)) == repr(value_by_value(record))


def test_infinite_scores_are_text_in_every_depth() -> None:
    answer = FoundAnswer(
        1, inf, -inf, "d", "/a[1]", 0, 1, 1, 1, None, 1, 0.5, [], {}, "", [], "tei", blocks=[[nan, 1.0]]
    )

    found = to_dict([{"answers": (answer,)}])[0]["answers"][0]

    assert (found["rsv"], found["score"], found["blocks"]) == ("inf", "-inf", [["nan", 1.0]])
