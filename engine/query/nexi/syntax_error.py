"""Syntax errors that show the query with a caret at the position."""

from __future__ import annotations

import unicodedata

from engine.errors import QueryError
from engine.notices import Message, Notice

# Characters of the query that are shown on either side of the position.
CONTEXT_CHARACTERS = 36

# Longest message or hint, in characters; parts of the query may be quoted in them.
MAX_MESSAGE = 160


def syntax_error_at(query: str, position: int, found_and_expected: str, fix: Message) -> QueryError:
    """Return an error that shows the query around a position with a caret below it, and a hint.

    >>> error = syntax_error_at("//sec[about(.//p information)]", 17, "no comma", "Write about(.//p, information).")
    >>> error.notice.fields["position"]
    18
    """
    begin, end = max(0, position - CONTEXT_CHARACTERS), min(len(query), position + CONTEXT_CHARACTERS)
    before = "..." if begin > 0 else ""
    after = "..." if end < len(query) else ""
    caret = " " * (len(before) + sum(map(_columns, query[begin:position]))) + "^"
    fields = {
        "position": position + 1,
        "mistake": _clipped(found_and_expected),
        "shown": f"{before}{_printable(query[begin:end])}{after}",
        "caret": caret,
        "fix": _clipped(fix) if isinstance(fix, str) else fix,
    }
    return QueryError(Notice("query_syntax", fields))


def _clipped(text: str) -> str:
    """Return a text without its middle if it is too long."""
    text = _printable(text)
    return text if len(text) <= MAX_MESSAGE else f"{text[: MAX_MESSAGE // 2]}...{text[-MAX_MESSAGE // 2 :]}"


def _printable(text: str) -> str:
    """Return a text of the same length without control characters, safe to print."""
    return "".join(character if character.isprintable() else "·" for character in text)


def _columns(character: str) -> int:
    """Return the terminal columns of a character: 0 for combining marks, 2 for wide characters, else 1."""
    if not character.isprintable():
        return 1
    return (
        0 if unicodedata.category(character) in ("Mn", "Me") else 1 + (unicodedata.east_asian_width(character) in "WF")
    )
