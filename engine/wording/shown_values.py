"""Values of any kind in messages."""

from __future__ import annotations

from engine.wording.printable import printable
from engine.wording.wording import shortened

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
