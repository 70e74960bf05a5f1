"""Stemmers: Snowball's, one for each of its languages, and a light one for English.

`engine.text.analyser.Analyser` applies them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
_OF_THREAD = local()


@cache
def stemmer_of(name: str) -> Callable[[str], str]:
    """Return the function from a case-folded word to its stem; `auto` has none of its own."""
    return lru_cache(2**15)(lambda word: stems([word], name)[0])


def stems(words: Sequence[str], name: str) -> list[str]:
    """Return the stems of case-folded words; `auto` has none of its own.

    >>> stems(["houses", "running"], "english")
    ['hous', 'run']
    """
    if name == NONE:
        return list(words)
    if name == LIGHT:
        return list(map(light_stem, words))
    found: list[str] = _snowball(name).stemWords(words)
    return found


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


def _snowball(language: str) -> Any:
    """Return this thread's stemmer of a language: it keeps the word that it works on, so threads cannot share one."""
    import snowballstemmer  # noqa: PLC0415  (needed only here)

    known: dict[str, Any] = _OF_THREAD.__dict__
    if language not in known:
        known[language] = snowballstemmer.stemmer(language)
        known[language].maxCacheSize = 0  # in C, its cache costs more than it saves: callers remember what they ask for
    return known[language]
