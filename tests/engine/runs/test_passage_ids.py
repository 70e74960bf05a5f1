"""Ids of passages, and back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.runs.run import Place, passage_id, place
from tests.trust.soak import effort

DOCUMENTS = st.text(min_size=1, max_size=12)
NUMBERS = st.integers(0, 10**17)


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("na/1", Place("na/1")),
        ("na/1#/article[1]/p[2]", Place("na/1", "/article[1]/p[2]")),
        ("na/1#70:12", Place("na/1", None, 70, 12)),
        ("c#1", Place("c#1")),
        ("c#sharp#0:5", Place("c#sharp", None, 0, 5)),
        ("#0:5", Place("#0:5")),
    ],
)
def test_an_id_names_a_place(identifier: str, expected: Place) -> None:
    assert place(identifier) == expected


@settings(max_examples=effort(6, 1250, thorough=50))
@given(DOCUMENTS, NUMBERS, NUMBERS)
def test_an_id_of_offsets_is_read_back(document: str, start: int, length: int) -> None:
    assert place(passage_id(document, "/ignored[1]", start, length)) == Place(document, None, start, length)


@settings(max_examples=effort(6, 1250, thorough=50))
@given(DOCUMENTS)
def test_an_id_of_a_path_is_read_back(document: str) -> None:
    assert place(passage_id(document, "/article[1]/sec[2]")) == Place(document, "/article[1]/sec[2]")
