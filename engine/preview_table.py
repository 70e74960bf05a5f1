"""The first rows of a value as a small table: text for terminals, HTML for notebooks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape

from engine.wording import printable

# Rows that are shown.
MOST_ROWS = 10


def text_table(
    title: str, names: Sequence[str], rows: Sequence[Sequence[str]], n_rows: int, *, right: Collection[str]
) -> str:
    """Return a title, the first rows under the names of their columns, and how many follow; printable.

    Args:
        rows: at least the first `MOST_ROWS` of `n_rows`. right: the columns that are aligned to the right.
    """
    shown = [[printable(cell) for cell in row] for row in rows[:MOST_ROWS]]
    lines = [names, *shown] if shown else []
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    aligned = [
        "  ".join(
            cell.rjust(width) if name in right else cell.ljust(width)
            for name, cell, width in zip(names, line, widths, strict=True)
        ).rstrip()
        for line in lines
    ]
    return "\n".join([printable(title), *aligned, *_more(n_rows)])


def html_table(title: str, names: Sequence[str], rows: Sequence[Sequence[str]], n_rows: int) -> str:
    """Return a title, the first rows under the names of their columns, and how many follow, as HTML.

    Args:
        rows: their cells are HTML, of which `html_cell` makes text.
    """
    head = "".join(f"<th>{name}</th>" for name in names)
    body = "".join(f"<tr>{''.join(f'<td>{each}</td>' for each in row)}</tr>\n" for row in rows[:MOST_ROWS])
    table = f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table>" if rows else ""
    return f"<p>{html_cell(title)}</p>{table}" + "".join(f"<p>{line}</p>" for line in _more(n_rows))


def html_cell(text: str) -> str:
    """Return text as HTML, printable."""
    return escape(printable(text))


def _more(n_rows: int) -> list[str]:
    return [f"and {n_rows - MOST_ROWS} more"] if n_rows > MOST_ROWS else []
