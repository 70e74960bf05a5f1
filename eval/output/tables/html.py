"""Printed tables as HTML."""

from __future__ import annotations

from html import escape

from eval.output.tables.printed_table import Cell, Column, PrintedTable, formatted

_MEANING = {"↑": "significantly better", "↓": "significantly worse"}


def html(table: PrintedTable) -> str:
    """Return one table as an HTML figure: its title above, its notes below."""
    names = "".join(f"<th{_side(column)}>{escape(column.name)}</th>" for column in table.columns)
    rows = "\n".join(
        "<tr>"
        + "".join(
            _cell(cell, column, is_head=i < table.n_heads)
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


def _cell(cell: Cell, column: Column, *, is_head: bool) -> str:
    text = escape(formatted(cell.value, column))
    if cell.is_best:
        text = f"<b>{text}</b>"
    if cell.mark:
        text += f'<sup title="{_MEANING.get(cell.mark, "")}">{escape(cell.mark)}</sup>'
    tag, scope = ("th", " scope=row") if is_head else ("td", "")
    return f"<{tag}{scope}{_side(column)}>{text}</{tag}>"


def _side(column: Column) -> str:
    return "" if column.decimals is None else " class=n"
