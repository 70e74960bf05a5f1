"""A grid of settings: all combinations of the values in a TOML file, each a list, one value or a range."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

from engine.errors import SettingsError
from engine.system.input_files import read_toml
from engine.wording import counted

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


# Settings by name, as changes to the base settings.
Point: TypeAlias = Mapping[str, SettingValue]


@dataclass(frozen=True)
class Grid:
    """Distinct combinations of settings, in file order: the last setting changes fastest."""

    points: tuple[Point, ...]
    source: str = "grid"

    @cached_property
    def parameters(self) -> Mapping[str, tuple[SettingValue, ...]]:
        """The settings that vary, with their values: numbers in ascending order, others in file order."""
        found: dict[str, dict[SettingValue, None]] = {}
        for point in self.points:
            for name, value in point.items():
                found.setdefault(name, {})[value] = None
        everywhere = {name for name in found if all(name in point for point in self.points)}
        varied = {name: tuple(values) for name, values in found.items() if len(values) > 1 or name not in everywhere}
        return {
            name: tuple(sorted(values, key=float)) if numeric(values) else values for name, values in varied.items()
        }

    def label(self, point: Point) -> str:
        """Return the varying settings of a point: ``k1 1.2, b 0.75``."""
        return ", ".join(f"{name} {text(point[name])}" for name in self.parameters if name in point)


def numeric(values: tuple[SettingValue, ...]) -> bool:
    """Return whether all values are numbers."""
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def read_grid(path: str | Path, check: Callable[[Point], object] | None = None) -> Grid:
    """Return the grid of a file.

    ``name = [values]``, or a range (:mod:`eval.tuning.grid`), varies a setting; ``[fixed]`` sets values for all
    points. With tables ``[[grid]]`` the grid is the union of the tables, each combined with the settings above them.

    Args:
        check: raises SettingsError for an invalid point.

    Raises: SettingsError naming file and setting, also for fewer than two points.
    """
    try:
        content = read_toml(path)
    except OSError as error:
        raise SettingsError(
            f"{path}: not a grid ({error.strerror}): name a file with lines like  k1 = [0.9, 1.2, 1.5]"
        ) from None
    return make_grid(content, check, source=str(path))


def make_grid(
    content: Mapping[str, Any], check: Callable[[Point], object] | None = None, *, source: str = "grid"
) -> Grid:
    """Return the grid of values by setting, as a file of :func:`read_grid` gives them; `source` is named in errors.

    Raises: SettingsError, also for fewer than two points.
    """
    try:
        points = tuple(_points(content))
        if check:
            for point in points:
                check(point)
    except SettingsError as error:
        raise SettingsError(f"{source}: {error}") from None
    if len(points) < 2:
        raise SettingsError(
            f"{source}: found {counted(len(points), 'combination')} of settings, expected two or more: give a setting "
            "two values or more, such as  k1 = [0.9, 1.2, 1.5]"
        )
    return Grid(points, source)


def _points(content: Mapping[str, Any]) -> Iterator[Point]:
    """Yield the distinct points."""
    shared = dict(content)
    fixed, tables = shared.pop("fixed", {}), shared.pop("grid", [{}])
    if not isinstance(fixed, dict) or any(isinstance(value, dict | list) for value in fixed.values()):
        raise SettingsError('fixed: expected one value for each setting:  [fixed]  similarity = "okapi"')
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise SettingsError("grid: expected tables [[grid]], each with lines like  k1 = [0.9, 1.2, 1.5]")
    seen: set[tuple[tuple[str, SettingValue], ...]] = set()
    left = MOST
    for table in tables:
        values = _values({**shared, **table}, left)
        left -= math.prod(map(len, values.values()))
        if twice := sorted(set(values) & set(fixed)):
            raise SettingsError(f"{twice[0]} is both under [fixed] and in the grid: remove one of them.")
        for combination in product(*values.values()) if values else ():
            point = {**fixed, **dict(zip(values, combination, strict=True))}
            key = tuple(sorted(point.items()))
            if key not in seen:
                seen.add(key)
                yield point


def _values(lines: Mapping[str, Any], most: int) -> dict[str, tuple[SettingValue, ...]]:
    """Return the values of each setting.

    Raises: SettingsError for more than ``most`` combinations, before any of them is generated.
    """
    values: dict[str, tuple[SettingValue, ...]] = {}
    for name, given in lines.items():
        values[name] = values_of(name, given)
        if math.prod(map(len, values.values())) > most:
            raise SettingsError(f"asks for more than {MOST:,} combinations: name fewer values, or other steps.")
    return values
