"""The effort of tests of many cases: seconds by default, more in `make test-thorough`, minutes in `make soak`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import product
from typing import Any, TypeVar

Number = TypeVar("Number", int, float)
Case = TypeVar("Case")

SOAKING = bool(os.environ.get("FOXIR_SOAK"))
THOROUGH = bool(os.environ.get("FOXIR_THOROUGH"))
MINUTES = float(os.environ.get("FOXIR_SOAK_MINUTES", "10"))  # that the longest test takes under `make soak`


def effort(quick: Number, soaking: Number, *, thorough: Number | None = None) -> Number:
    """Return the first number by default, `thorough` (if given) in `make test-thorough`, the second in `make soak`."""
    if SOAKING:
        return soaking
    return thorough if THOROUGH and thorough is not None else quick


def in_turn(*values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return cases that have each value at least once; all combinations in `make test-thorough` and `make soak`."""
    if THOROUGH or SOAKING:
        return list(product(*values))
    return [tuple(each[number % len(each)] for each in values) for number in range(max(map(len, values)))]


def some(cases: Sequence[Case], n: int) -> list[Case]:
    """Return n cases, at least 2, from the first to the last; all in `make test-thorough` and `make soak`."""
    if THOROUGH or SOAKING or n >= len(cases):
        return list(cases)
    return [cases[round(number * (len(cases) - 1) / (n - 1))] for number in range(n)]
