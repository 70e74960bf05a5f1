"""Words of a query that stand for several terms of an index: how they are written, and what they match."""

from __future__ import annotations

from collections.abc import Collection

# Joins the terms of one word of a query that an index of several languages may contain: häuser|haus.
EITHER = "|"

# Ends a term of a query that stands for all terms that begin so: a single letter of a script without spaces.
ANY_END = "*"


def term_matches(word: str, terms: Collection[str]) -> bool:
    """Return whether one of the terms is what a word of a query looks for.

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
