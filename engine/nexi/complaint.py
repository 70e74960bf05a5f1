"""What is wrong with a query, shown at its place."""

import unicodedata

from engine.errors import QueryError

AROUND = 36
"""So many characters of the query are shown on either side of the place."""

LONGEST = 160
"""Messages and remedies are cut to this length."""


def complaint(query: str, position: int, found_and_expected: str, fix: str) -> QueryError:
    """Return an error that shows the query around a position with a caret below it, and how it may be put right.

    >>> print(complaint("//sec[about(.//p information)]", 17, "no comma", "Write about(.//p, information)."))
    query, position 18: no comma.
      //sec[about(.//p information)]
                       ^
    Write about(.//p, information).
    """
    begin, end = max(0, position - AROUND), min(len(query), position + AROUND)
    before = "..." if begin > 0 else ""
    after = "..." if end < len(query) else ""
    caret = " " * (len(before) + sum(map(_columns, query[begin:position]))) + "^"
    message, remedy = _clipped(found_and_expected), _clipped(fix)
    shown = _printable(query[begin:end])
    return QueryError(f"query, position {position + 1}: {message}.\n  {before}{shown}{after}\n  {caret}\n{remedy}")


def _clipped(text: str) -> str:
    """Return a text, its middle left out if it is long: parts of the query may stand in it."""
    text = _printable(text)
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]}...{text[-LONGEST // 2 :]}"


def _printable(text: str) -> str:
    """Return a text of the same length that no terminal takes for a command."""
    return "".join(character if character.isprintable() else "·" for character in text)


def _columns(character: str) -> int:
    """Return how many columns of a terminal a character takes: a vowel sign or an accent none, a Chinese one two."""
    if not character.isprintable():
        return 1
    return (
        0 if unicodedata.category(character) in ("Mn", "Me") else 1 + (unicodedata.east_asian_width(character) in "WF")
    )
