"""The reading of text that begins with a slash: a path query, right or wrong, or words (`/etc/hosts is missing`).

It is a path query if it can be parsed as one as a whole. Otherwise, it is a path query with a mistake if it has what
only NEXI or XPath has: `about(` at the beginning of a condition (`//sec[about(lens)]`), a function of a path inside
brackets (`//sec[not (about(., x))]`, `//sec[contains(., x)]`), or a condition that begins with `.//`
(`//sec[.//yr 2000]`); or if it is the path of one element, as answers have it (`/article[1]/sec[2]`). All other text is
words (`//NOTE: fix this`, `//lens[0]=x;`), with a notice that says why it is not a path query.
"""

from __future__ import annotations

import re
from functools import lru_cache

from engine.errors import QueryError
from engine.notices import Notice
from engine.query.nexi.element_path import begins_with_slash, is_element_path

# Longest query, in characters, that is remembered; of longer ones, the last.
LONGEST = 2000
# Longest remedy for a mistake, in characters, that a notice repeats.
LONGEST_REMEDY = 60


def is_path_or_mistake(text: str) -> bool:
    """Return whether a text is meant as a path query: it can be parsed as one, or only a path query is written so.

    >>> [is_path_or_mistake(text) for text in ("//sec[about(., x)", "/etc/hosts", "//NOTE: fix this", "fog")]
    [True, True, False, False]
    """
    return begins_with_slash(text) and why_words(text) is None


def why_words(text: str) -> Notice | None:
    """Return why a text that begins with a slash is not a path query but words; None for a path query or other words.

    >>> why_words("/etc/hosts is missing")
    Notice(no_path_query, position=12, mistake="unexpected 'is'", write='')
    >>> why_words("//sec[yr > 2000]").fields["write"]
    'write [.//yr > 2000]'
    """
    return (_remembered if len(text) <= LONGEST else _last_long)(text)


def _why_words(text: str) -> Notice | None:
    if not begins_with_slash(text) or is_element_path(text) or _NEXI.search(text):
        return None
    from engine.query.nexi.parser import parse_nexi  # noqa: PLC0415  (most queries are words)

    try:
        parse_nexi(text)
    except QueryError as error:
        if error.notice is None:
            raise
        found = error.notice.fields
        fix = found["fix"]
        is_for_it = "[" in text and isinstance(fix, str) and fix.startswith("Write ") and len(fix) <= LONGEST_REMEDY
        write = f"w{fix[1:]}".removesuffix(".") if is_for_it else ""
        fields = {"position": found["position"], "mistake": found["mistake"], "write": write}
        return Notice("no_path_query", fields)
    return None


# about( at the beginning of a condition; a function with a path in it; a condition that begins with .//
_NEXI = re.compile(
    r"\[\s*(?:not\b[\s(]*)?about\("
    r"|\[[^\[\]]*\babout\s*\(\s*[./@]"
    r"|\[[^\[\]]*\b[a-z][a-z-]{0,30}\(\s*\.\s*[,/)]"
    r"|\[\s*\.//",
    re.IGNORECASE,
)

_remembered, _last_long = lru_cache(1024)(_why_words), lru_cache(1)(_why_words)
