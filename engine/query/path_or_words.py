"""Whether a text that begins with a slash is a path query, right or wrong, or words such as `/etc/hosts is missing`.

It is a path query if it can be parsed as one as a whole. Otherwise, it is a path query with a mistake if it is the path
of one element, as answers have it (`/article[1]/sec[2]`), or if it begins with `//` directly before a name, `*` or `(`
and only a path query goes on so:

- without a blank (`//sec//`);
- with `about(` inside brackets (`//sec[about(., x)`);
- with brackets after a path, without a word outside of them (`//sec[lens cap]`) or with a path or an attribute at the
  beginning of a condition (`//sec[.//yr 2000] lens`).

All other text is words (`//NOTE: fix this`, `//see array[0] for the range`), with a notice that says why.
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
    if not begins_with_slash(text) or is_element_path(text) or _is_written_as_path(text):
        return None
    return _why_no_path(text)


def _is_written_as_path(text: str) -> bool:
    """Return whether only a path query, perhaps with a mistake, is written as a text that begins with a slash."""
    if not _path_begins().match(text):
        return False
    if len(text.split()) == 1 or _ABOUT.search(text):
        return True
    path, bracket, _ = text.partition("[")
    if not bracket or _why_no_path(path) is not None:
        return False
    return _PATH_IN_CONDITION.search(text) is not None or _WORD.search(_BRACKETS.sub(" ", text)) is None


def _why_no_path(text: str) -> str | None:
    """Return why a text cannot be parsed as a path query; None if it can."""
    from engine.query.nexi.parser import parse_nexi  # noqa: PLC0415  (most queries are words)

    try:
        parse_nexi(text)
    except QueryError as error:
        return str(error).partition("\n")[0].removesuffix(".")
    return None


@cache
def _path_begins() -> re.Pattern[str]:
    return re.compile(rf"\s*//[{LETTERS}*(]")


_ABOUT = re.compile(r"\[[^\[\]]*\babout\s*\(", re.IGNORECASE)
_PATH_IN_CONDITION = re.compile(r"\[\s*(?:\.\s*[/@=<>!,]|@)")
_BRACKETS = re.compile(r"\[[^\[\]]*\]")
# A word that begins after a blank, other than what joins conditions.
_WORD = re.compile(r"(?<=\s)(?!(?:and|or|not)\b)\w", re.IGNORECASE)

_remembered = lru_cache(1024)(_why_words)
