"""Printed tables, the common form of terminal, LaTeX, Markdown and HTML output."""

from __future__ import annotations

from eval.output.tables.printable_result import PrintableResult
from eval.output.tables.printed_table import Cell, Column, PrintedTable, rounded

__all__ = ["Cell", "Column", "PrintableResult", "PrintedTable", "rounded"]
