"""Numbers in the fields of judgement files."""

from __future__ import annotations

from engine.errors import AssessmentError
from engine.runs.columns import is_natural, is_score

# Largest accepted number of characters; sums of larger ones would not fit into 64 bits.
MOST_CHARACTERS = 2**39


def character_count(value: str, where: str, what: str) -> int:
    """Return a count of characters; thousands commas are accepted (``13,556``), as printed with INEX 2005."""
    text = (value.replace(",", "") if "," in value else value).strip()
    if not is_natural(text) or int(text) > MOST_CHARACTERS:
        raise AssessmentError(f"{where}: {what} {quoted(value)} is not a number of characters, 0 to 2^39.")
    return int(text)


def grade_value(value: str, where: str, what: str, highest: int) -> int:
    """Return a relevance grade from 0 to ``highest``."""
    if is_natural(value.strip()) and int(value) <= highest:
        return int(value)
    raise AssessmentError(f"{where}: {what} {quoted(value)} is not a grade from 0 to {highest}.")


def share(value: str, where: str, what: str) -> float:
    """Return a share from 0 to 1."""
    if not is_score(value) or not 0.0 <= float(value) <= 1.0:
        raise AssessmentError(f"{where}: {what} {quoted(value)} is not a share from 0 to 1.")
    return float(value)


def quoted(value: str) -> str:
    """Return a value for a message: quoted, and truncated if it is long."""
    return repr(value if len(value) <= 80 else f"{value[:80]}...")
