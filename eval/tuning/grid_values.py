"""The values of one setting in a grid: a list, one value, or a range."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

from engine.errors import SettingsError

SettingValue: TypeAlias = str | int | float | bool

KEYS = ("from", "to", "step", "count", "scale", "whole")
EXPECTED = (
    "expected values, such as [0.2, 0.4], or a range: {from = 0, to = 1, step = 0.1}, "
    '{from = 200, to = 20000, count = 100} or {from = 0.1, to = 10, count = 9, scale = "log"}, with whole = true '
    "for whole numbers"
)
# Largest number of values in a range and of combinations in a grid; more are assumed to be a mistake.
MOST = 100_000

# Largest absolute value of whole numbers, which are exact as float64.
HIGHEST = 10**15


def values_of(name: str, given: Any) -> tuple[SettingValue, ...]:
    """Return the distinct values of a setting, in the order given.

    Raises: SettingsError naming the setting.
    """
    if isinstance(given, Mapping):
        return _range(name, given)
    listed = given if isinstance(given, list) else [given]
    wrong = [value for value in listed if not _is_value(value)]
    if wrong or not listed:
        raise SettingsError(f"{name} = {wrong[0] if wrong else '[]'}: {EXPECTED}.")
    return tuple(dict.fromkeys(listed))


def _is_value(value: Any) -> bool:
    """Return whether a value is valid for a setting: a string, or a number that is not NaN nor too large."""
    if isinstance(value, int):
        return abs(value) <= HIGHEST
    return isinstance(value, str) or (isinstance(value, float) and not math.isnan(value))


def text(value: SettingValue) -> str:
    """Return a value as text for tables and messages.

    >>> [text(value) for value in (0.30000000000000004, 14200, True, "okapi")]
    ['0.3', '14200', 'true', 'okapi']
    """
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _range(name: str, given: Mapping[str, Any]) -> tuple[SettingValue, ...]:
    """Return the values of a range, including both ends if the steps reach them.

    Steps of whole numbers are whole; others are rounded to 12 significant digits, those of a logarithmic scale to 6.
    """
    if (unknown := sorted(set(given) - set(KEYS))) or ("step" in given) == ("count" in given):
        raise SettingsError(f"{name}: {f'{unknown[0]!r} is not part of a range; ' if unknown else ''}{EXPECTED}.")
    first, last = _number(name, given, "from"), _number(name, given, "to")
    scale, whole = given.get("scale", "linear"), given.get("whole", False)
    if scale not in ("linear", "log") or not isinstance(whole, bool) or ("step" in given and scale == "log"):
        raise SettingsError(f"{name}: {EXPECTED}.")
    if last <= first or (scale == "log" and first <= 0):
        above = "from above 0 " if scale == "log" else ""
        raise SettingsError(f"{name}: a range goes {above}upwards, found from {text(first)} to {text(last)}.")
    if "step" in given:
        found = _stepped(name, first, last, _number(name, given, "step"))
    else:
        found = _counted(name, first, last, given["count"], scale == "log")
    return tuple(dict.fromkeys(round(value) for value in found) if whole else found)


def _stepped(name: str, first: float, last: float, step: float) -> list[float]:
    if step <= 0:
        raise SettingsError(f"{name}: step = {text(step)}: expected a number above 0.")
    n_steps = (last - first) / step
    if n_steps >= MOST:
        raise SettingsError(f"{name}: from {text(first)} to {text(last)} by {text(step)} is over {MOST:,} values.")
    n = math.floor(n_steps + 1e-9) + 1
    return [_tidy(first + i * step, 12) for i in range(n)]


def _counted(name: str, first: float, last: float, count: Any, is_log: bool) -> list[float]:
    if not isinstance(count, int) or isinstance(count, bool) or not 2 <= count <= MOST:
        raise SettingsError(f"{name}: count = {count}: expected a whole number from 2 to {MOST:,}.")
    shares = [i / (count - 1) for i in range(1, count - 1)]
    if is_log:
        between = [_tidy(first * (last / first) ** share, 6) for share in shares]
    else:
        between = [_tidy(first + (last - first) * share, 12) for share in shares]
    if isinstance(first, int) and isinstance(last, int) and all(float(value).is_integer() for value in between):
        between = [int(value) for value in between]
    return [first, *between, last]


def _tidy(value: float, digits: int) -> float:
    return value if isinstance(value, int) else float(f"{value:.{digits}g}")


def _number(name: str, given: Mapping[str, Any], key: str) -> float:
    value = given.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool) and _is_value(value) and math.isfinite(value):
        return value
    raise SettingsError(f"{name}: {key} = {value}: {EXPECTED}." if key in given else f"{name}: {EXPECTED}.")
