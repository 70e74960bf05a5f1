"""Numbers as they are written in run files and qrels."""

from __future__ import annotations

import math

# Largest number that fits into int64.
MAX_NUMBER = 2**63 - 1


def is_natural(value: str) -> bool:
    """Return whether a string is a non-negative whole number that fits into int64."""
    return value.isdigit() and value.isascii() and len(value) <= 19 and int(value) <= MAX_NUMBER


def is_score(value: str) -> bool:
    """Return whether a string is a finite decimal number; Python's `1_000` is not."""
    try:
        return "_" not in value and math.isfinite(float(value))
    except ValueError:
        return False
