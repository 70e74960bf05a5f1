"""A grid of settings: all combinations of the values in a TOML file."""

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
from eval.tuning.grid_values import MOST, SettingValue, text, values_of

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

    ``name = [values]``, or a range (:mod:`eval.tuning.grid_values`), varies a setting; ``[fixed]`` sets values for all
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
