"""The first rows of a table of scores: text for terminals, HTML for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from engine.printable import printable

# Rows that are shown.
MOST_ROWS = 10
NAMES = ("run", "family", "measure", "options", "mean")


def text_table(title: str, rows: Sequence[Sequence[str]]) -> str:
    """Return a title and the first rows, cells as in `NAMES`; unprintable characters are escaped."""
    shown = [[printable(cell) for cell in row] for row in rows[:MOST_ROWS]]
    lines = [NAMES, *shown] if shown else []
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    *left, last = range(len(NAMES))
    text = [
        "  ".join([*(line[place].ljust(widths[place]) for place in left), line[last].rjust(widths[last])])
        for line in lines
    ]
    return "\n".join([title, *text, *_more(rows)])


def html_table(title: str, rows: Sequence[Sequence[str]]) -> str:
    """Return the same as an HTML table, all text escaped."""
    head = "".join(f"<th>{name}</th>" for name in NAMES)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(printable(cell))}</td>' for cell in row)}</tr>\n" for row in rows[:MOST_ROWS]
    )
    table = f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table>" if rows else ""
    return f"<p>{escape(title)}</p>{table}" + "".join(f"<p>{line}</p>" for line in _more(rows))


def _more(rows: Sequence[Sequence[str]]) -> list[str]:
    left = len(rows) - MOST_ROWS
    return [f"and {left} more"] if left > 0 else []
