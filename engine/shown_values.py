"""Values of any kind in messages."""

from __future__ import annotations

MOST_CHARACTERS = 60


def shown(value: object) -> str:
    """Return a value as a message shows it, shortened."""
    try:
        text = repr(value)
    except Exception:  # a caller's object, whose repr may raise anything
        text = f"<{type(value).__name__}>"
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"
