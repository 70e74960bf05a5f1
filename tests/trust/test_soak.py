"""Which cases the lists of tests have, by effort."""

from __future__ import annotations

import pytest

from tests.trust import soak
from tests.trust.soak import in_turn, some

A, B, C = [1, 2, 3, 4, 5], ["a", "b"], [None, {}, {"x": 1}]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soak, "THOROUGH", False)
    monkeypatch.setattr(soak, "SOAKING", False)


@pytest.mark.usefixtures("quick")
def test_each_value_occurs_in_turn() -> None:
    cases = in_turn(A, B, C)

    assert len(cases) == len(A)
    for values, taken in zip((A, B, C), zip(*cases, strict=True), strict=True):
        assert [value for value in values if value not in taken] == []


@pytest.mark.usefixtures("quick")
def test_some_cases_go_from_the_first_to_the_last() -> None:
    assert some(A, 3) == [1, 3, 5]
    assert some(A, 5) == some(A, 9) == A


@pytest.mark.parametrize("name", ["THOROUGH", "SOAKING"])
def test_the_long_versions_have_every_case(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soak, name, True)

    assert len(set(map(str, in_turn(A, B, C)))) == len(A) * len(B) * len(C)
    assert some(A, 3) == A
