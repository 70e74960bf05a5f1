"""Numbers and names in messages for people."""

from __future__ import annotations

from collections.abc import Sequence

# Longest name that is printed whole, in characters.
LONGEST_NAME = 40


def counted(number: int, one: str, several: str = "") -> str:
    """Return a number with what it counts: 1 document, 1,232 documents."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def shortened(name: str) -> str:
    """Return a name, a long one cut: those of elements, attributes and entities may have any length."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def listed(names: Sequence[str], most: int = 10) -> str:
    """Return quoted names, the first `most` of them, long ones shortened."""
    shown = [f"'{shortened(name)}'" for name in names[:most]]
    return ", ".join(shown) + (f" and {len(names) - most} more" if len(names) > most else "")
