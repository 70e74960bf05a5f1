"""How do scores stand in tables?

One kind of printed table for the terminal, LaTeX, Markdown and HTML.
"""

from __future__ import annotations

from eval.output.tables.printable_result import PrintableResult
from eval.output.tables.printed_table import Cell, Column, PrintedTable, rounded

__all__ = ["Cell", "Column", "PrintableResult", "PrintedTable", "rounded"]
