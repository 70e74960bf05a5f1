"""Numbers and names in messages for people."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, one: str, several: str = "") -> str:
    """Return a number with what it counts: 1 document, 1,232 documents."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def listed(names: Sequence[str], most: int = 10) -> str:
    """Return quoted names, the first `most` of them, long ones shortened."""
    shown = [f"'{name if len(name) <= 40 else name[:39] + '…'}'" for name in names[:most]]
    return ", ".join(shown) + (f" and {len(names) - most} more" if len(names) > most else "")
