"""Hints for misspelt names."""

from __future__ import annotations

from collections.abc import Iterable


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
