"""Quotes found again in their documents: exactly, by their words alone, or nearly."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import accumulate
from typing import Literal

How = Literal["exact", "words", "nearly"]
WORD = re.compile(r"\w+")
# Share of words, of quote and passage together, that a passage has in the order of the quote, at least.
FEWEST_SHARED = 0.6
# Letters of a quote that may begin or end within a word of the text, as where no blank is between cells.
FEWEST_LETTERS = 8


@dataclass(frozen=True)
class FoundQuote:
    """The characters of a document that a quote is of.

    shared: share of the words of both that are the same in the same order. times: places where it stands exactly, or
        with the same words; the first is taken.
    """

    start: int
    end: int
    how: How
    shared: float = 1.0
    times: int = 1


class QuotedText:
    """The text of a document, in which quotes are looked for; offsets are characters of it."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _words(self) -> tuple[list[str], list[tuple[int, int]]]:
        found = [(_folded(match[0]), match.span()) for match in WORD.finditer(self.text)]
        return [word for word, _ in found], [span for _, span in found]

    def find(self, quote: str) -> FoundQuote | None:
        """Return the place of a quote; None where no passage has enough of its words in their order.

        White space, punctuation, case and compatibility forms do not count where the quote does not stand exactly; nor
        do bounds of words where not even these are found.
        """
        given = quote.strip()
        if given and (times := self.text.count(given)):
            start = self.text.index(given)
            return FoundQuote(start, start + len(given), "exact", times=times)
        words = [_folded(match[0]) for match in WORD.finditer(given)]
        if not words:
            return None
        own, spans = self._words
        places = [place for place in _places(own, words[0]) if own[place : place + len(words)] == words]
        if places:
            start, end = spans[places[0]][0], spans[places[0] + len(words) - 1][1]
            return FoundQuote(start, end, "words", times=len(places))
        return self._by_letters("".join(words)) or self._nearly(words)

    def _by_letters(self, letters: str) -> FoundQuote | None:
        """Return where the letters of a quote follow one another: blanks and signs between them do not count.

        So a row of a table is found whether its cells were copied with blanks between them or without.
        """
        own, spans = self._words
        text, begins = "".join(own), list(accumulate(map(len, own), initial=0))
        ends_of_words = set(begins)
        places = [match.start() for match in re.finditer(f"(?={re.escape(letters)})", text)]
        if len(letters) < FEWEST_LETTERS:
            places = [place for place in places if {place, place + len(letters)} <= ends_of_words]
        if not places:
            return None

        def offset(place: int, of_word: int) -> int:
            start, end = spans[of_word]
            word, inside = self.text[start:end], place - begins[of_word]
            return start + next(n for n in range(len(word) + 1) if len(_folded(word[:n])) >= inside)

        first, last = places[0], places[0] + len(letters)
        start, end = offset(first, bisect_right(begins, first) - 1), offset(last, bisect_left(begins, last) - 1)
        return FoundQuote(start, end, "words", times=len(places))

    def _nearly(self, words: Sequence[str]) -> FoundQuote | None:
        own, spans = self._words
        first = _densest(own, words)
        if first is None:
            return None
        begin = max(first - len(words) // 2, 0)
        window = own[begin : first + 2 * len(words)]
        blocks = [
            each for each in SequenceMatcher(None, words, window, autojunk=False).get_matching_blocks() if each.size
        ]
        if not blocks:
            return None
        length = blocks[-1].b + blocks[-1].size - blocks[0].b
        shared = 2 * sum(each.size for each in blocks) / (len(words) + length)
        if shared < FEWEST_SHARED:
            return None
        start, end = begin + blocks[0].b, begin + blocks[-1].b + blocks[-1].size - 1
        return FoundQuote(spans[start][0], spans[end][1], "nearly", round(shared, 3))


def _folded(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold()


def _places(words: Sequence[str], word: str) -> list[int]:
    return [place for place, each in enumerate(words) if each == word]


def _densest(own: Sequence[str], words: Sequence[str]) -> int | None:
    """Return where as many words in a row as a quote has share most with it; None where none is shared."""
    wanted, inside = Counter(words), Counter[str]()
    shared = best = 0
    found = None
    for place, word in enumerate(own):
        if word in wanted:
            inside[word] += 1
            shared += inside[word] <= wanted[word]
        if place >= len(words) and (gone := own[place - len(words)]) in wanted:
            shared -= inside[gone] <= wanted[gone]
            inside[gone] -= 1
        if shared > best:
            best, found = shared, max(place - len(words) + 1, 0)
    return found


def merged(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans, from start to end, in order; those that overlap or touch as one.

    >>> merged([(9, 12), (1, 3), (2, 5), (5, 6)])
    [(1, 6), (9, 12)]
    """
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found
