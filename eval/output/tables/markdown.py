"""Printed tables as Markdown for GitHub and pandoc."""

from __future__ import annotations

import re
from collections.abc import Iterable

from eval.output.tables.printed_table import Cell, Column, PrintedTable, formatted

_SPECIAL = re.compile(r"([\\`*_\[\]<>|])")


def markdown(tables: Iterable[PrintedTable]) -> str:
    """Return the tables as Markdown, each under its title."""
    return "\n".join(_table(table) for table in tables)


def escaped(text: str) -> str:
    """Return text with the special characters of Markdown escaped.

    >>> escaped("iP[0.01] a|b")
    'iP\\\\[0.01\\\\] a\\\\|b'
    """
    return _SPECIAL.sub(r"\\\1", text)


def _table(table: PrintedTable) -> str:
    cells = [[_cell(cell, column) for cell, column in zip(row, table.columns, strict=True)] for row in table.rows]
    names = [escaped(column.name) for column in table.columns]
    widths = [max(3, *map(len, column)) for column in zip(names, *cells, strict=True)]
    is_text = [column.decimals is None for column in table.columns]
    rules = ["-" * w if text else "-" * (w - 1) + ":" for w, text in zip(widths, is_text, strict=True)]
    body = [
        "| " + " | ".join(v.ljust(w) if t else v.rjust(w) for v, w, t in zip(row, widths, is_text, strict=True)) + " |"
        for row in [names, rules, *cells]
    ]
    lines = [f"**{escaped(table.title)}**", *(["", *body] if table.columns else [])]
    for note in table.notes:
        lines += ["", escaped(note)]
    return "\n".join(lines) + "\n"


def _cell(cell: Cell, column: Column) -> str:
    text = escaped(formatted(cell.value, column))
    return (f"**{text}**" if cell.is_best else text) + cell.mark
