"""Numbers and names in messages for people."""

from __future__ import annotations

from collections.abc import Sequence

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
    return ", ".join(shown) + (f" and {len(names) - most} more" if len(names) > most else "")
