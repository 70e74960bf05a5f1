"""Printed tables: the one form that terminal, LaTeX, Markdown and HTML are made from."""

from eval.sheets.result import Result
from eval.sheets.sheet import Cell, Column, Sheet, plain, rounded

__all__ = ["Cell", "Column", "Result", "Sheet", "plain", "rounded"]
