"""Query words the slow and obvious way: which words of a text a pattern, a misspelt word, a form or a phrase is."""

from __future__ import annotations

import fnmatch
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import combinations, permutations

# A word of a text: its form and its stem.
TextWord = tuple[str, str]


def fitting(pattern: str, forms: Iterable[str]) -> list[str]:
    """Return the forms that fit a pattern, sorted."""
    return sorted(form for form in set(forms) if any(fnmatch.fnmatchcase(each, pattern) for each in _spelt(form)))


def _spelt(form: str) -> tuple[str, ...]:
    """Return a word, and the word as it is written without accents."""
    decomposed = "".join(each for each in unicodedata.normalize("NFD", form) if not unicodedata.combining(each))
    german = form.translate(str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"}))
    return form, *(each for each in (decomposed, german) if each.isascii())


def edits(one: str, other: str) -> int:
    """Return the edits between two words, an exchange of neighbours is one (optimal string alignment)."""
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one) + 1):
        for j in range(len(other) + 1):
            ways = [max(i, j)] if not i or not j else []
            if i and j:
                ways = [table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (one[i - 1] != other[j - 1])]
                if i > 1 and j > 1 and one[i - 2 : i] == other[j - 1] + other[j - 2]:
                    ways.append(table[i - 2][j - 2] + 1)
            table[i][j] = min(ways)
    return table[-1][-1]


def within(word: str, most: int, forms: Iterable[str]) -> list[str]:
    """Return the forms within so many edits of a word, sorted."""
    return sorted(form for form in set(forms) if edits(word, form) <= most)


def in_order(words: Sequence[TextWord], wanted: Sequence[Callable[[TextWord], bool]]) -> set[int]:
    """Return where a phrase begins in a text."""
    last = len(words) - len(wanted)
    return {at for at in range(last + 1) if all(fits(words[at + n]) for n, fits in enumerate(wanted))}


def near(words: Sequence[TextWord], wanted: Sequence[Collection[str]], slop: int) -> set[int]:
    """Return where the shortest stretches begin that have, each in its place, a stem of each set and so many others."""
    stretches = [
        (first, last)
        for first in range(len(words))
        for last in range(first, min(len(words), first + len(wanted) + slop))
        if _has_each([stem for _, stem in words[first : last + 1]], wanted)
    ]
    longer = {b for a, b in combinations(sorted(stretches, key=lambda each: each[1] - each[0]), 2) if _contains(b, a)}
    return {first for first, last in stretches if (first, last) not in longer}


def _has_each(stems: Sequence[str], wanted: Sequence[Collection[str]]) -> bool:
    return any(
        all(stem in each for stem, each in zip(chosen, wanted, strict=True))
        for chosen in permutations(stems, len(wanted))
    )


def _contains(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] <= other[0] and other[1] <= one[1] and one != other
