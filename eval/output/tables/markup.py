"""Printed tables as LaTeX with the package booktabs, as Markdown for GitHub and pandoc, and as HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from eval.output.tables.printed_table import Cell, Column, PrintedTable, formatted

_LATEX = {
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
_LATEX_MARKS = {"↑": r"$^{\uparrow}$", "↓": r"$^{\downarrow}$"}
_LATEX_PATTERN = re.compile("|".join(map(re.escape, _LATEX)))


def latex(tables: Iterable[PrintedTable]) -> str:
    """Return the tables as LaTeX floats; the document needs ``\\usepackage{booktabs}``."""
    return "\n".join(_latex_table(table) for table in tables)


def latex_text(text: str) -> str:
    """Return text with the special characters of LaTeX latex_text.

    >>> latex_text("P@5 50% a_b")
    'P@5 50\\\\% a\\\\_b'
    """
    return _LATEX_PATTERN.sub(lambda found: _LATEX[found[0]], text)


def _latex_table(table: PrintedTable) -> str:
    lines = [
        r"\begin{table}",
        r"  \centering",
        f"  \\caption{{{latex_text(table.title)}}}",
        *(_tabular(table) if table.columns else ()),
        *(f"  \\par\\smallskip{{\\footnotesize {latex_text(note)}}}" for note in table.notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _tabular(table: PrintedTable) -> list[str]:
    kinds = "".join("l" if column.decimals is None else "r" for column in table.columns)
    return [
        f"  \\begin{{tabular}}{{{kinds}}}",
        r"    \toprule",
        f"    {' & '.join(latex_text(column.name) for column in table.columns)} \\\\",
        r"    \midrule",
        *(
            f"    {' & '.join(_latex_cell(cell, column) for cell, column in zip(row, table.columns, strict=True))} \\\\"
            for row in table.rows
        ),
        r"    \bottomrule",
        r"  \end{tabular}",
    ]


def _latex_cell(cell: Cell, column: Column) -> str:
    text = latex_text(formatted(cell.value, column))
    return (f"\\textbf{{{text}}}" if cell.is_best else text) + _LATEX_MARKS.get(cell.mark, latex_text(cell.mark))


_MARKDOWN = re.compile(r"([\\`*_\[\]<>|])")


def markdown(tables: Iterable[PrintedTable]) -> str:
    """Return the tables as Markdown, each under its title."""
    return "\n".join(_markdown_table(table) for table in tables)


def markdown_text(text: str) -> str:
    """Return text with the special characters of Markdown markdown_text.

    >>> markdown_text("iP[0.01] a|b")
    'iP\\\\[0.01\\\\] a\\\\|b'
    """
    return _MARKDOWN.sub(r"\\\1", text)


def _markdown_table(table: PrintedTable) -> str:
    cells = [
        [_markdown_cell(cell, column) for cell, column in zip(row, table.columns, strict=True)] for row in table.rows
    ]
    names = [markdown_text(column.name) for column in table.columns]
    widths = [max(3, *map(len, column)) for column in zip(names, *cells, strict=True)]
    is_text = [column.decimals is None for column in table.columns]
    rules = ["-" * w if text else "-" * (w - 1) + ":" for w, text in zip(widths, is_text, strict=True)]
    body = [
        "| " + " | ".join(v.ljust(w) if t else v.rjust(w) for v, w, t in zip(row, widths, is_text, strict=True)) + " |"
        for row in [names, rules, *cells]
    ]
    lines = [f"**{markdown_text(table.title)}**", *(["", *body] if table.columns else [])]
    for note in table.notes:
        lines += ["", markdown_text(note)]
    return "\n".join(lines) + "\n"


def _markdown_cell(cell: Cell, column: Column) -> str:
    text = markdown_text(formatted(cell.value, column))
    return (f"**{text}**" if cell.is_best else text) + cell.mark


_MEANING = {"↑": "significantly better", "↓": "significantly worse"}


def html(table: PrintedTable) -> str:
    """Return one table as an HTML figure: its title above, its notes below."""
    names = "".join(f"<th{_side(column)}>{escape(column.name)}</th>" for column in table.columns)
    rows = "\n".join(
        "<tr>"
        + "".join(
            _html_cell(cell, column, is_head=i < table.n_heads)
            for i, (cell, column) in enumerate(zip(row, table.columns, strict=True))
        )
        + "</tr>"
        for row in table.rows
    )
    title = f"<figcaption>{escape(table.title)}</figcaption>" if table.title else ""
    notes = "".join(f"<p class=note>{escape(note)}</p>" for note in table.notes)
    return (
        f"<figure class=sheet>{title}<div class=wide><table>\n<thead><tr>{names}</tr></thead>\n"
        f"<tbody>\n{rows}\n</tbody></table></div>{notes}</figure>\n"
    )


def _html_cell(cell: Cell, column: Column, *, is_head: bool) -> str:
    text = escape(formatted(cell.value, column))
    if cell.is_best:
        text = f"<b>{text}</b>"
    if cell.mark:
        text += f'<sup title="{_MEANING.get(cell.mark, "")}">{escape(cell.mark)}</sup>'
    tag, scope = ("th", " scope=row") if is_head else ("td", "")
    return f"<{tag}{scope}{_side(column)}>{text}</{tag}>"


def _side(column: Column) -> str:
    return "" if column.decimals is None else " class=n"
