"""Numbers as judgement files write them."""

from engine.errors import AssessmentError


def characters(value: str, where: str, what: str) -> int:
    """Return a count of characters; thousands commas are accepted (``13,556``), as printed with INEX 2005."""
    text = value.replace(",", "") if "," in value else value
    try:
        count = int(text)
    except ValueError:
        count = -1
    if count < 0:
        raise AssessmentError(f"{where}: {what} {value!r} is not a number of characters, 0 or more.")
    return count


def grade(value: str, where: str, what: str, highest: int) -> int:
    """Return a relevance grade from 0 to ``highest``."""
    if value.strip().isdecimal() and int(value) <= highest:
        return int(value)
    raise AssessmentError(f"{where}: {what} {value!r} is not a grade from 0 to {highest}.")


def share(value: str, where: str, what: str) -> float:
    """Return a share from 0 to 1."""
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0.0 <= number <= 1.0:
        raise AssessmentError(f"{where}: {what} {value!r} is not a share from 0 to 1.")
    return number
