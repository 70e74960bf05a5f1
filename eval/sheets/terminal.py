"""A printed table for a terminal: columns that do not fit beside each other go on below."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table as Grid
from rich.text import Text

from eval.sheets.sheet import Cell, Column, Sheet

GAP = 2


def grids(sheet: Sheet, width: int) -> Iterator[RenderableType]:
    """Yield the title, as many grids as the width asks for, and the notes."""
    if sheet.title:
        yield Text(sheet.title, style="italic")
    texts = sheet.texts()
    for group in _groups(sheet, texts, width):
        yield _grid(sheet, texts, group)
    for note in sheet.notes:
        yield Text(note, style="dim")


def _groups(sheet: Sheet, texts: Sequence[Sequence[str]], width: int) -> Iterator[list[int]]:
    """Yield the columns of each grid, the heads first in all of them."""
    widths = [
        max(
            [
                len(column.name),
                *(len(row[i]) + len(cells[i].mark) for row, cells in zip(texts, sheet.rows, strict=True)),
            ]
        )
        + GAP
        for i, column in enumerate(sheet.columns)
    ]
    heads = list(range(sheet.n_heads))
    group, used = list(heads), sum(widths[: sheet.n_heads])
    for i in range(sheet.n_heads, len(widths)):
        if len(group) > len(heads) and used + widths[i] - GAP > width:
            yield group
            group, used = list(heads), sum(widths[: sheet.n_heads])
        group.append(i)
        used += widths[i]
    yield group


def _grid(sheet: Sheet, texts: Sequence[Sequence[str]], group: Sequence[int]) -> Grid:
    """Return the grid of some columns, set by hand: marks stand behind numbers that stay in line."""
    grid = Grid(box=None, pad_edge=False, padding=(0, GAP, 0, 0))
    widths = {i: max([len(sheet.columns[i].name), *(len(row[i]) for row in texts)]) for i in group}
    for i in group:
        column = sheet.columns[i]
        name = column.name if column.decimals is None else column.name.rjust(widths[i])
        grid.add_column(Text(name), no_wrap=True)
    for row, cells in zip(texts, sheet.rows, strict=True):
        grid.add_row(*(_text(row[i], cells[i], sheet.columns[i], widths[i]) for i in group))
    return grid


def _text(text: str, cell: Cell, column: Column, width: int) -> Text:
    aligned = text if column.decimals is None else text.rjust(width)
    return Text(aligned + cell.mark, style="bold" if cell.is_best else "")
