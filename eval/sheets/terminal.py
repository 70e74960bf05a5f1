"""A printed table for a terminal: columns that do not fit beside each other go on below."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table as Grid
from rich.text import Text

from eval.sheets.sheet import Cell, Sheet

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
    grid = Grid(box=None, pad_edge=False, padding=(0, GAP, 0, 0))
    has_marks = [any(row[i].mark for row in sheet.rows) for i in range(len(sheet.columns))]
    for i in group:
        column = sheet.columns[i]
        grid.add_column(
            Text(column.name + " " * has_marks[i]), justify="left" if column.decimals is None else "right", no_wrap=True
        )
    for row, cells in zip(texts, sheet.rows, strict=True):
        grid.add_row(*(_text(row[i], cells[i], has_marks[i]) for i in group))
    return grid


def _text(text: str, cell: Cell, has_marks: bool) -> Text:
    """Return the cell; a column with marks keeps room for one in every row, so that its numbers stay aligned."""
    return Text(text + (cell.mark or " " * has_marks), style="bold" if cell.is_best else "")
