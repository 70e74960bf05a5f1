"""Printed tables as LaTeX with the package booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterable

from eval.output.tables.printed_table import Cell, Column, PrintedTable, formatted

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "–": "--",
    "∪": r"$\cup$",
    "∩": r"$\cap$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "α": r"$\alpha$",
    "τ": r"$\tau$",
    "ρ": r"$\rho$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
_MARKS = {"↑": r"$^{\uparrow}$", "↓": r"$^{\downarrow}$"}
_PATTERN = re.compile("|".join(map(re.escape, _SPECIAL)))


def latex(tables: Iterable[PrintedTable]) -> str:
    """Return the tables as LaTeX floats; the document needs ``\\usepackage{booktabs}``."""
    return "\n".join(_table(table) for table in tables)


def escaped(text: str) -> str:
    """Return text with the special characters of LaTeX escaped.

    >>> escaped("P@5 50% a_b")
    'P@5 50\\\\% a\\\\_b'
    """
    return _PATTERN.sub(lambda found: _SPECIAL[found[0]], text)


def _table(table: PrintedTable) -> str:
    lines = [
        r"\begin{table}",
        r"  \centering",
        f"  \\caption{{{escaped(table.title)}}}",
        *(_tabular(table) if table.columns else ()),
        *(f"  \\par\\smallskip{{\\footnotesize {escaped(note)}}}" for note in table.notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _tabular(table: PrintedTable) -> list[str]:
    kinds = "".join("l" if column.decimals is None else "r" for column in table.columns)
    return [
        f"  \\begin{{tabular}}{{{kinds}}}",
        r"    \toprule",
        f"    {' & '.join(escaped(column.name) for column in table.columns)} \\\\",
        r"    \midrule",
        *(
            f"    {' & '.join(_cell(cell, column) for cell, column in zip(row, table.columns, strict=True))} \\\\"
            for row in table.rows
        ),
        r"    \bottomrule",
        r"  \end{tabular}",
    ]


def _cell(cell: Cell, column: Column) -> str:
    text = escaped(formatted(cell.value, column))
    return (f"\\textbf{{{text}}}" if cell.is_best else text) + _MARKS.get(cell.mark, escaped(cell.mark))
