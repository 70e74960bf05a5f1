"""How are values and names written in sentences?

Plurals, quotes, shortened and printable values, suggestions for misspelt names. Useful for every message. Not for the
sentences themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def printable(text: str) -> str:
    """Return text with characters that are not printable as escapes, so that no text controls a terminal.

    >>> printable("fog\\x1b[2J")
    'fog\\\\x1b[2J'
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


# Longest name that is printed whole, in characters.
LONGEST_NAME = 40


def counted(number: int, one: str, several: str = "") -> str:
    """Return a number with its noun: 1 document, 1,232 documents."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def shortened(text: str, most: int = LONGEST_NAME) -> str:
    """Return text, a long one cut: names of elements, attributes and entities may have any length."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def listed(names: Sequence[str], most: int = 10) -> str:
    """Return quoted names, the first `most` of them, long ones shortened."""
    shown = [f"'{shortened(name)}'" for name in names[:most]]
    return ", ".join(shown) + (f" and {len(names) - most:,} more" if len(names) > most else "")


MOST_CHARACTERS = 60
# Of a document id or a path, whose end matters.
MOST_OF_PATH = 200


def shown(value: object) -> str:
    """Return a value as a message shows it, in one line, shortened."""
    try:
        text = " ".join(repr(value).split("\n"))
    except Exception:  # a caller's object, whose repr may raise anything
        text = f"<{type(value).__name__}>"
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"


def shown_text(value: object, most: int = MOST_CHARACTERS) -> str:
    """Return text or a number as a user wrote it, in quotes, shortened and printable; another value as `shown` does."""
    if not isinstance(value, str | int | float):
        return shown(value)
    return f"'{shortened(printable(str(value)), most)}'"


def did_you_mean(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> str:
    """Return `did you mean 'NAME'? ` with the most similar known name, or "" if none is similar.

    Args:
        cutoff: as of `nearest`.
    """
    found = nearest(name, known, cutoff=cutoff)
    return "" if found is None else f"did you mean '{found}'? "


def nearest(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """Return the most similar known name, None if none is similar.

    A name that differs in letter case only is the most similar; otherwise case counts, unless nothing is similar then.

    Args:
        cutoff: least similarity, from 0 to 1.
    """
    names = list(known)
    folded = {each.casefold(): each for each in names}
    if same := folded.get(name.casefold()):
        return same
    from difflib import get_close_matches  # noqa: PLC0415  (only for messages)

    if found := get_close_matches(name, names, 1, cutoff):
        return found[0]
    if found := get_close_matches(name.casefold(), folded, 1, cutoff):
        return folded[found[0]]
    return None
