"""A printed table in LaTeX, ruled by the package booktabs."""

import re
from collections.abc import Iterable

from eval.sheets.sheet import Cell, Column, Sheet, plain

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


def latex(sheets: Iterable[Sheet]) -> str:
    """Return the tables as LaTeX floats; the document needs ``\\usepackage{booktabs}``."""
    return "\n".join(_table(sheet) for sheet in sheets)


def escaped(text: str) -> str:
    """Return text with the signs that LaTeX would read as commands made harmless.

    >>> escaped("P@5 50% a_b")
    'P@5 50\\\\% a\\\\_b'
    """
    return _PATTERN.sub(lambda found: _SPECIAL[found[0]], text)


def _table(sheet: Sheet) -> str:
    kinds = "".join("l" if column.decimals is None else "r" for column in sheet.columns)
    lines = [
        r"\begin{table}",
        r"  \centering",
        f"  \\caption{{{escaped(sheet.title)}}}",
        f"  \\begin{{tabular}}{{{kinds}}}",
        r"    \toprule",
        f"    {' & '.join(escaped(column.name) for column in sheet.columns)} \\\\",
        r"    \midrule",
        *(
            f"    {' & '.join(_cell(cell, column) for cell, column in zip(row, sheet.columns, strict=True))} \\\\"
            for row in sheet.rows
        ),
        r"    \bottomrule",
        r"  \end{tabular}",
        *(f"  \\par\\smallskip{{\\footnotesize {escaped(note)}}}" for note in sheet.notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _cell(cell: Cell, column: Column) -> str:
    text = escaped(plain(cell.value, column))
    return (f"\\textbf{{{text}}}" if cell.is_best else text) + _MARKS.get(cell.mark, escaped(cell.mark))
