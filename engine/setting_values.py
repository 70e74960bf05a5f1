"""What the values of settings may be: one of several words, or a count. Values come from people, files and Python."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any

from engine.errors import SettingsError

HIGHEST = 1_000_000_000
"""Of any count, which arrays can still be numbered by; `all` stands for more."""


def one_of(name: str, value: Any, choices: Sequence[str]) -> str:
    """Return a value that is one of several words; raises SettingsError."""
    if value not in choices:
        raise SettingsError(f"{name} = '{value}': {near(str(value), choices)}expected one of {', '.join(choices)}.")
    return str(value)


def count(name: str, value: Any, *, highest: int = HIGHEST) -> int:
    """Return a whole number from 1; raises SettingsError."""
    return _counted(name, value, highest, "")


def count_or_all(name: str, value: Any) -> int | None:
    """Return a whole number from 1, None for `all`; raises SettingsError."""
    return None if value == "all" else _counted(name, value, HIGHEST, ", or all")


def near(value: str, choices: Iterable[str]) -> str:
    """Return the question after the nearest of some words, nothing where none is near."""
    found = difflib.get_close_matches(value, list(choices), 1)
    return f"did you mean '{found[0]}'? " if found else ""


def _counted(name: str, value: Any, highest: int, otherwise: str) -> int:
    try:
        number = int(str(value))
    except ValueError:
        number = 0
    if number < 1:
        raise SettingsError(f"{name} = '{value}': expected a whole number from 1{otherwise}.")
    if number > highest:
        raise SettingsError(f"{name} = '{value}': expected at most {highest:,}{otherwise}.")
    return number
