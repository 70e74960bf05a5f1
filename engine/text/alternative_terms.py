"""Query words that match any of several index terms: their notation, and whether a set of terms matches one."""

from __future__ import annotations

from collections.abc import Collection

# Separates alternatives, such as a word and its stem in an index of several languages: häuser|haus.
EITHER = "|"

# Ends a prefix, which matches every term that starts with it: a single letter of a script without spaces.
ANY_END = "*"


def term_matches(word: str, terms: Collection[str]) -> bool:
    """Return whether one of the terms matches a word of a query.

    >>> term_matches("haus|häuser", {"haus"}), term_matches("\u8336*", {"\u8336\u9053"}), term_matches("haus", {"hau"})
    (True, True, False)
    """
    for wanted in word.split(EITHER):
        if wanted.endswith(ANY_END):
            if any(term.startswith(wanted[:-1]) for term in terms):
                return True
        elif wanted in terms:
            return True
    return False
