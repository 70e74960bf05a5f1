"""Texts of given pieces, each drawn as one string of letters that stand for the pieces.

Hypothesis makes two choices for every element of a list and one for a whole string: of short pieces a text is drawn
several times as fast, and shrinks to fewer and earlier pieces all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters

from hypothesis import strategies as st


def texts(
    pieces: Sequence[str], *, min_size: int = 0, max_size: int | None = None, between: str = ""
) -> st.SearchStrategy[str]:
    """Texts of as many pieces; one that is listed twice is drawn twice as often."""
    of_letter = dict(zip(ascii_letters, pieces, strict=False))
    assert len(of_letter) == len(pieces)
    letters = st.text("".join(of_letter), min_size=min_size, max_size=max_size)
    return letters.map(lambda drawn: between.join(map(of_letter.__getitem__, drawn)))
