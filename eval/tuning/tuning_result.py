"""The result of a grid search: the surface of means, the selection of each fold, the cross-validated estimate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from eval.measures import OptionValue
from eval.output.tables import Cell, Column, PrintedTable, rounded
from eval.output.tables.printed_table import CellValue
from eval.tuning.cross_validated import CrossValidated
from eval.tuning.grid import Grid, Point, SettingValue, numeric, text
from eval.tuning.selection import HalvingRound, Method


@dataclass(frozen=True)
class Surface:
    """The mean of every point over all topics, None for points that successive halving eliminated."""

    measure: str
    grid: Grid
    means: tuple[float | None, ...]
    best: int

    @property
    def parameters(self) -> Mapping[str, tuple[SettingValue, ...]]:
        """The varying settings, with their values."""
        return self.grid.parameters

    @property
    def best_point(self) -> Point:
        """The best settings over all topics."""
        return self.grid.points[self.best]

    @property
    def is_plane(self) -> bool:
        """Whether exactly two settings vary, both at every point."""
        return len(self.parameters) == 2 and all(self.parameters.keys() <= point.keys() for point in self.grid.points)

    def at(self, **values: SettingValue) -> int | None:
        """Return the best point with the given values, None if none was scored on all topics."""
        return self._best_of(
            [i for i, point in enumerate(self.grid.points) if all(point.get(n) == v for n, v in values.items())]
        )

    def marginal(self, name: str) -> list[tuple[SettingValue, int | None]]:
        """Return the best point for each value of a setting."""
        return [(value, self._best_of(self._numbers[name, value])) for value in self.parameters[name]]

    def ranked(self) -> list[int]:
        """Return the points scored on all topics, best first, equal ones in grid order."""
        scored = [i for i, mean in enumerate(self.means) if mean is not None]
        return sorted(scored, key=lambda i: (i != self.best, -(self.means[i] or 0.0)))

    def borders(self) -> list[tuple[str, SettingValue, str]]:
        """Return the numeric settings whose best value is on the border of the grid: setting, value, highest or lowest.

        Settings with two values are skipped, as both are on a border; so are those for which an inner value has the
        same mean, since nothing suggests that better values lie beyond.
        """
        found = []
        for name, values in self.parameters.items():
            value = self.best_point.get(name)
            if value is not None and numeric(values) and len(values) > 2 and value in (values[0], values[-1]):
                if any(self._mean_of(name, inner) == self.means[self.best] for inner in values[1:-1]):
                    continue
                found.append((name, value, "lowest" if value == values[0] else "highest"))
        return found

    def _mean_of(self, name: str, value: SettingValue) -> float | None:
        """Return the highest mean with a value of a setting."""
        return max((mean for i in self._numbers[name, value] if (mean := self.means[i]) is not None), default=None)

    @cached_property
    def _numbers(self) -> Mapping[tuple[str, SettingValue], list[int]]:
        numbers: dict[tuple[str, SettingValue], list[int]] = {}
        for i, point in enumerate(self.grid.points):
            for name, value in point.items():
                numbers.setdefault((name, value), []).append(i)
        return numbers

    def _best_of(self, numbers: Sequence[int]) -> int | None:
        scored = [(mean, i) for i in numbers if (mean := self.means[i]) is not None]
        if any(i == self.best for _, i in scored):
            return self.best
        return max(scored, key=lambda pair: (pair[0], -pair[1]))[1] if scored else None


@dataclass(frozen=True, repr=False, kw_only=True)
class Tuning(CrossValidated):
    """The best settings of a grid, with an estimate of their score on other topics.

    ``surface``: the mean of every point; ``rungs``: the rounds of successive halving.
    """

    method: Method
    surface: Surface
    rungs: tuple[HalvingRound, ...]

    @property
    def best(self) -> Mapping[str, Any]:
        """The best settings over all topics."""
        return self.surface.best_point

    def _label(self, point: Point) -> str:
        """Return the settings of a point that vary, as text."""
        return self.surface.grid.label(point)

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"measure", "options", "search", "seed", "best", "base", "estimate", "gain", "folds", ...}``."""
        surface, common = self.surface, self.common_values()
        return {
            **{name: common.pop(name) for name in ("measure", "options")},
            "search": self.method,
            **common,
            "rounds": [{"settings": rung.n_points, "topics": rung.n_topics} for rung in self.rungs],
            "surface": [
                {"settings": dict(point), "value": rounded(mean)}
                for point, mean in zip(surface.grid.points, surface.means, strict=True)
            ],
        }

    def tables(self) -> tuple[PrintedTable, ...]:
        """Return the surface, the rounds of halving, the folds, and the estimate."""
        rounds = (self._rounds(),) if self.method == "halving" else ()
        return (*surface_tables(self.surface), *rounds, self.fold_table(), self.estimate_table())

    def _rounds(self) -> PrintedTable:
        return PrintedTable.of(
            "Rounds of successive halving",
            ["round", Column("settings", 0), Column("topics", 0)],
            [[str(number), rung.n_points, rung.n_topics] for number, rung in enumerate(self.rungs, 1)],
        )


# Number of points listed if more than two settings vary.
LONGEST = 10

BEST = "*"
NOTE = f"{BEST} best over all topics"


def surface_tables(surface: Surface) -> tuple[PrintedTable, ...]:
    """Return a row per value for one setting, a matrix for two; else the best points and marginals."""
    names = list(surface.parameters)
    if len(names) == 1:
        return (_marginal(surface, names[0], with_others=False),)
    if surface.is_plane:
        return (_matrix(surface, names[0], names[1]),)
    return (_list(surface), *(_marginal(surface, name, with_others=True) for name in names))


def _matrix(surface: Surface, rows: str, columns: str) -> PrintedTable:
    """Return a matrix with one setting in rows, the other in columns."""
    across, down = surface.parameters[columns], surface.parameters[rows]
    return PrintedTable.of(
        f"{surface.measure} by {rows} (down) and {columns} (across)",
        [f"{rows} \\ {columns}", *(Column(text(value), 4) for value in across)],
        [[text(row), *(_cell(surface, surface.at(**{rows: row, columns: value})) for value in across)] for row in down],
        notes=[NOTE, *_gaps(surface)],
    )


def _marginal(surface: Surface, name: str, *, with_others: bool) -> PrintedTable:
    """Return the best mean for each value of a setting, and the values of the other settings at that point."""
    lines: list[list[Cell | CellValue]] = []
    for value, number in surface.marginal(name):
        line: list[Cell | CellValue] = [text(value), _cell(surface, number)]
        if with_others:
            line.append("" if number is None else _others(surface, number, name))
        lines.append(line)
    title = f"best {surface.measure} by {name}" if with_others else f"{surface.measure} by {name}"
    columns: list[Column | str] = [name, Column(surface.measure, 4), *(["with"] if with_others else [])]
    return PrintedTable.of(title, columns, lines, notes=[NOTE, *([] if with_others else _gaps(surface))])


def _list(surface: Surface) -> PrintedTable:
    ranked = surface.ranked()
    return PrintedTable.of(
        f"The best {min(LONGEST, len(ranked))} of {len(surface.grid.points)} settings",
        ["settings", Column(surface.measure, 4)],
        [[surface.grid.label(surface.grid.points[i]), _cell(surface, i)] for i in ranked[:LONGEST]],
        notes=[NOTE, *_gaps(surface)],
    )


def _cell(surface: Surface, number: int | None) -> Cell:
    is_best = number == surface.best
    return Cell(None if number is None else surface.means[number], BEST if is_best else "", is_best=is_best)


def _others(surface: Surface, number: int, name: str) -> str:
    point = surface.grid.points[number]
    return surface.grid.label({other: value for other, value in point.items() if other != name})


def _gaps(surface: Surface) -> list[str]:
    """Return a note on the points without a mean over all topics."""
    n = sum(mean is None for mean in surface.means)
    return (
        [f"–: {n} of {len(surface.means)} settings were eliminated on fewer topics, or are not in the grid"]
        if n
        else []
    )


SEARCHES = {"grid": "every point on every topic", "halving": "successive halving"}


def summary(tuning: CrossValidated) -> list[str]:
    """Return the measure, the estimate with its confidence interval, the varied settings and the topics as lines."""
    estimate, gain = tuning.estimate, tuning.gain
    doubt = ", a loss" if tuning.gain.high < 0 else ", within noise" if tuning.is_within_noise else ""
    options = " ".join(f"{name}={_plain(value)}" for name, value in tuning.options.items() if value is not None)
    return [
        f"Chosen by foxir tune: {tuning.measure} {options}".rstrip(),
        *_varied(tuning),
        f"Best on all {len(tuning.topics)} topics: {tuning.chosen.mean:.4f}; before tuning: {tuning.base.mean:.4f}",
        f"Cross-validated estimate, {len(tuning.folds)} folds, seed {tuning.seed}: {estimate.mean:.4f}, "
        f"{tuning.level:.0%} interval {estimate.low:.4f} to {estimate.high:.4f}",
        f"Gain: {gain.mean:+.4f}, {gain.low:+.4f} to {gain.high:+.4f}, p {tuning.p:.4f}{doubt}",
        f"Topics: {' '.join(tuning.topics)}",
    ]


def _varied(tuning: CrossValidated) -> Iterator[str]:
    if isinstance(tuning, Tuning):
        surface = tuning.surface
        ranges = (f"{name} ({text(values[0])} ... {text(values[-1])})" for name, values in surface.parameters.items())
        yield f"Varied: {', '.join(ranges)}: {len(surface.grid.points)} settings, {SEARCHES[tuning.method]}"
    else:
        yield f"Learned: {tuning.best_label}"


def _plain(value: OptionValue) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else text(value) if value is not None else "none"
