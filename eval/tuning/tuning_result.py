"""The result of a grid search: the surface, the selection of each fold, the cross-validated estimate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eval.output.tables import Cell, Column, PrintedTable, rounded
from eval.output.tables.printed_table import CellValue
from eval.tuning.cross_validated import CrossValidated
from eval.tuning.grid import Point
from eval.tuning.grid_values import text
from eval.tuning.selection import HalvingRound, Method
from eval.tuning.surface import Surface


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
