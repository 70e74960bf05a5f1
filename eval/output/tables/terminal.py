"""Printed tables for the terminal; columns that exceed its width continue below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table as Grid
from rich.text import Text

from eval.output.tables.printed_table import Cell, Column, PrintedTable

GAP = 2


def grids(table: PrintedTable, width: int) -> Iterator[RenderableType]:
    """Yield the title, one or more grids that fit the width, and the notes."""
    if table.title:
        yield Text(table.title, style="italic")
    texts = table.texts()
    for group in _groups(table, texts, width) if table.columns else ():
        yield _grid(table, texts, group)
    for note in table.notes:
        yield Text(note, style="dim")


def _groups(table: PrintedTable, texts: Sequence[Sequence[str]], width: int) -> Iterator[list[int]]:
    """Yield the columns of each grid, each starting with the head columns."""
    widths = [
        max(
            [
                len(column.name),
                *(len(row[i]) + len(cells[i].mark) for row, cells in zip(texts, table.rows, strict=True)),
            ]
        )
        + GAP
        for i, column in enumerate(table.columns)
    ]
    heads = list(range(table.n_heads))
    group, used = list(heads), sum(widths[: table.n_heads])
    for i in range(table.n_heads, len(widths)):
        if len(group) > len(heads) and used + widths[i] - GAP > width:
            yield group
            group, used = list(heads), sum(widths[: table.n_heads])
        group.append(i)
        used += widths[i]
    yield group


def _grid(table: PrintedTable, texts: Sequence[Sequence[str]], group: Sequence[int]) -> Grid:
    """Return the grid of the columns; numbers are aligned by padding, so that marks follow them."""
    grid = Grid(box=None, pad_edge=False, padding=(0, GAP, 0, 0))
    widths = {i: max([len(table.columns[i].name), *(len(row[i]) for row in texts)]) for i in group}
    for i in group:
        column = table.columns[i]
        name = column.name if column.decimals is None else column.name.rjust(widths[i])
        grid.add_column(Text(name), no_wrap=True)
    for row, cells in zip(texts, table.rows, strict=True):
        grid.add_row(*(_text(row[i], cells[i], table.columns[i], widths[i]) for i in group))
    return grid


def _text(text: str, cell: Cell, column: Column, width: int) -> Text:
    aligned = text if column.decimals is None else text.rjust(width)
    return Text(aligned + cell.mark, style="bold" if cell.is_best else "")
