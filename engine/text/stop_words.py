"""Stop words of languages: Whoosh's lists, of which nothing else of Whoosh has to be imported."""

from __future__ import annotations

from functools import cache


@cache
def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a language, given by its code of two letters; none of one that Whoosh does not know.

    >>> "the" in stop_words("en")
    True
    """
    from engine.whoosh import stoplists  # noqa: PLC0415  (large, and not always needed)

    return frozenset(stoplists.get(language, ()))
