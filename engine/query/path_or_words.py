"""Whether a text that begins with a slash is a path query, right or wrong, or words such as `/etc/hosts is missing`.

It is a path query if it can be parsed as one as a whole. Otherwise, it is a path query with a mistake if it begins with
`//` directly before a name, `*` or `(`, and contains `[` or no blank (`//sec[about(., x)`, `//sec//`), or if it is the
path of one element, as answers have it (`/article[1]/sec[2]`), and words if not (`//NOTE: fix this`).
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from engine.errors import QueryError
from engine.query.nexi.element_path import LETTERS, begins_with_slash, is_element_path

# Longest query, in characters, that is remembered.
LONGEST = 2000


def is_path_or_mistake(text: str) -> bool:
    """Return whether a text is meant as a path query: it can be parsed as one, or only a path query is written so.

    >>> [is_path_or_mistake(text) for text in ("//sec[about(., x)", "/etc/hosts", "//NOTE: fix this", "fog")]
    [True, True, False, False]
    """
    return begins_with_slash(text) and why_words(text) is None


def why_words(text: str) -> str | None:
    """Return why a text that begins with a slash is not a path query but words; None for a path query or other words.

    >>> why_words("/etc/hosts is missing")
    "query, position 12: unexpected 'is'"
    """
    return _remembered(text) if len(text) <= LONGEST else _why_words(text)


def _why_words(text: str) -> str | None:
    if not begins_with_slash(text) or (_path_begins().match(text) and ("[" in text or len(text.split()) == 1)):
        return None
    if is_element_path(text):
        return None
    from engine.query.nexi.parser import parse_nexi  # noqa: PLC0415  (most queries are words)

    try:
        parse_nexi(text)
    except QueryError as error:
        return str(error).partition("\n")[0].removesuffix(".")
    return None


@cache
def _path_begins() -> re.Pattern[str]:
    return re.compile(rf"\s*//[{LETTERS}*(]")


_remembered = lru_cache(1024)(_why_words)
