"""Printed tables of a surface, after Figures 3.4 and 3.5 of the thesis."""

from eval.sheets import Cell, Column, Sheet
from eval.sheets.sheet import Value as CellValue
from eval.tuning.ranges import text
from eval.tuning.surface import Surface

LONGEST = 10
"""Points that are listed where more than two settings are varied."""

BEST = "*"
NOTE = f"{BEST} best over all topics"


def surface_sheets(surface: Surface) -> tuple[Sheet, ...]:
    """Return a line a value for one setting, rows and columns for two; else the best points, and marginals."""
    names = list(surface.parameters)
    if len(names) == 1:
        return (_marginal(surface, names[0], with_others=False),)
    if surface.is_plane:
        return (_matrix(surface, names[0], names[1]),)
    return (_list(surface), *(_marginal(surface, name, with_others=True) for name in names))


def _matrix(surface: Surface, rows: str, columns: str) -> Sheet:
    """Return one setting down, the other across."""
    across, down = surface.parameters[columns], surface.parameters[rows]
    return Sheet.of(
        f"{surface.measure} by {rows} (down) and {columns} (across)",
        [f"{rows} \\ {columns}", *(Column(text(value), 4) for value in across)],
        [[text(row), *(_cell(surface, surface.at(**{rows: row, columns: value})) for value in across)] for row in down],
        notes=[NOTE, *_gaps(surface)],
    )


def _marginal(surface: Surface, name: str, *, with_others: bool) -> Sheet:
    """Return the best mean for each value of a setting, and the other settings it is reached with."""
    lines: list[list[Cell | CellValue]] = []
    for value, number in surface.marginal(name):
        line: list[Cell | CellValue] = [text(value), _cell(surface, number)]
        if with_others:
            line.append("" if number is None else _others(surface, number, name))
        lines.append(line)
    title = f"best {surface.measure} by {name}" if with_others else f"{surface.measure} by {name}"
    columns: list[Column | str] = [name, Column(surface.measure, 4), *(["with"] if with_others else [])]
    return Sheet.of(title, columns, lines, notes=[NOTE, *([] if with_others else _gaps(surface))])


def _list(surface: Surface) -> Sheet:
    ranked = surface.ranked()
    return Sheet.of(
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
    """Return what to say of points without a mean over all topics."""
    n = sum(mean is None for mean in surface.means)
    return (
        [f"–: {n} of {len(surface.means)} settings were given up on fewer topics, or are not in the grid"] if n else []
    )
