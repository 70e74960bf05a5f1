"""A printed table in Markdown, as GitHub and pandoc read it."""

import re
from collections.abc import Iterable

from eval.sheets.sheet import Cell, Column, Sheet, plain

_SPECIAL = re.compile(r"([\\`*_\[\]<>|])")


def markdown(sheets: Iterable[Sheet]) -> str:
    """Return the tables one after the other, each under its title."""
    return "\n".join(_table(sheet) for sheet in sheets)


def escaped(text: str) -> str:
    """Return text with the signs that Markdown would read as markup made harmless.

    >>> escaped("iP[0.01] a|b")
    'iP\\\\[0.01\\\\] a\\\\|b'
    """
    return _SPECIAL.sub(r"\\\1", text)


def _table(sheet: Sheet) -> str:
    cells = [[_cell(cell, column) for cell, column in zip(row, sheet.columns, strict=True)] for row in sheet.rows]
    names = [escaped(column.name) for column in sheet.columns]
    widths = [max(3, *map(len, column)) for column in zip(names, *cells, strict=True)]
    is_text = [column.decimals is None for column in sheet.columns]
    rules = ["-" * w if text else "-" * (w - 1) + ":" for w, text in zip(widths, is_text, strict=True)]
    body = [
        "| " + " | ".join(v.ljust(w) if t else v.rjust(w) for v, w, t in zip(row, widths, is_text, strict=True)) + " |"
        for row in [names, rules, *cells]
    ]
    lines = [f"**{escaped(sheet.title)}**", "", *body]
    for note in sheet.notes:
        lines += ["", escaped(note)]
    return "\n".join(lines) + "\n"


def _cell(cell: Cell, column: Column) -> str:
    text = escaped(plain(cell.value, column))
    return (f"**{text}**" if cell.is_best else text) + cell.mark
