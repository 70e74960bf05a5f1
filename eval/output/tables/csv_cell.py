"""Texts in CSV that a spreadsheet must not take for formulas."""

from __future__ import annotations

import re

# First characters of what spreadsheets take for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


def csv_cell(text: str) -> str:
    """Return a text as a cell of CSV: after an apostrophe if it begins as a formula does and is not a number.

    >>> csv_cell("=1+1"), csv_cell("@sum"), csv_cell("-5"), csv_cell("run-1")
    ("'=1+1", "'@sum", '-5', 'run-1')
    """
    return text if not text.startswith(FORMULA) or NUMBER.fullmatch(text) else f"'{text}"
