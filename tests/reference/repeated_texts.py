"""Whether one text repeats another, as slowly and plainly as can be."""

from __future__ import annotations

from collections.abc import Sequence


def repeats(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether two texts, as words, of eight or more have seven tenths of their sequences of three in common."""
    if min(len(one), len(other)) < 8:
        return False
    mine, others = (
        {" ".join(words[place : place + 3]) for place in range(len(words) - 2)} for words in (list(one), list(other))
    )
    return len(mine & others) / len(mine | others) >= 0.7
