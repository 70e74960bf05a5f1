"""Text from files, safe to print."""

from __future__ import annotations


def printable(text: str) -> str:
    """Return text with characters that are not printable as escapes, so that no text controls a terminal.

    >>> printable("fog\\x1b[2J")
    'fog\\\\x1b[2J'
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
