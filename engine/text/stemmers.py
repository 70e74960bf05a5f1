"""Stemmers: Snowball's, one for each of its languages, and a light one for English."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from threading import local
from typing import Any, Literal, get_args

# fmt: off
Stemmer = Literal[
    "auto", "none", "light",
    "arabic", "armenian", "basque", "catalan", "czech", "danish", "dutch", "dutch_porter", "english", "esperanto",
    "estonian", "finnish", "french", "german", "greek", "hindi", "hungarian", "indonesian", "irish", "italian",
    "lithuanian", "nepali", "norwegian", "persian", "polish", "porter", "portuguese", "romanian", "russian", "serbian",
    "sesotho", "spanish", "swedish", "tamil", "turkish", "yiddish",
]
# fmt: on
STEMMERS: tuple[str, ...] = get_args(Stemmer)
AUTO, NONE, LIGHT, *SNOWBALL = STEMMERS


@cache
def stemmer_of(name: str) -> Callable[[str], str]:
    """Return the function from a case-folded word to its stem; `auto` has none of its own."""
    if name == NONE:
        return str
    return light_stem if name == LIGHT else _snowball(name)


def light_stem(term: str) -> str:
    """Return the term without its plural s.

    Source: the S-stemmer of Harman, How effective is suffixing?, JASIS 42(1), 1991. The first rule whose suffix matches
    applies: -ies (not -eies, -aies) becomes -y, -es (not -aes, -ees, -oes) becomes -e, -s (not -us, -ss) is removed.
    """
    if len(term) < 4:
        return term
    if term.endswith("ies"):
        return term if term[-4] in "ea" else term[:-3] + "y"
    if term.endswith("es"):
        return term if term[-3] in "aeo" else term[:-1]
    if term.endswith("s"):
        return term if term[-2] in "us" else term[:-1]
    return term


def _snowball(language: str) -> Callable[[str], str]:
    import snowballstemmer  # noqa: PLC0415  (needed only here)

    of_thread = local()  # a stemmer keeps the word that it works on: two threads would get each other's stems

    @lru_cache(2**15)
    def stem(term: str) -> str:
        stemmer: Any = getattr(of_thread, "stemmer", None)
        if stemmer is None:
            stemmer = of_thread.stemmer = snowballstemmer.stemmer(language)
        return str(stemmer.stemWord(term))

    return stem
