"""Tests of the text of a query before it is parsed: a slash at its beginning, the path of one element."""

from __future__ import annotations

import re
from functools import cache

# Letters that begin a name, in a character class.
LETTERS = (
    "A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f"
    "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)


def begins_with_slash(text: str) -> bool:
    """Return whether a text begins with a slash, as every path query does."""
    return text.lstrip().startswith("/")


def is_element_path(text: str) -> bool:
    """Return whether a text is the path of one element, such as answers have: a step or more with a number.

    >>> [is_element_path(text) for text in ("/article[1]/sec[2]", "/article/sec[2]", "/etc/hosts", "//sec[2]")]
    [True, True, False, False]
    """
    text = text.strip()
    return text.startswith("/") and "[" in text and _element_path().fullmatch(text) is not None


@cache
def _element_path() -> re.Pattern[str]:
    """Return the pattern of steps, compiled when a text first needs it: its letters take milliseconds."""
    return re.compile(rf"(?:/[{LETTERS}][\w.\-]*(?:\[[1-9][0-9]*\])?)+")
