"""Parses the terms of a query: `+jedi "the force" -sith src:/images/yoda.jpg`.

Titles of topics (CO) and about() use the same syntax. Parsing is lenient: everything between blanks is a word, and
words without a letter or digit are ignored, as no analyser makes a term of them.
"""

from __future__ import annotations

import re
from typing import cast

from engine.query.nexi.syntax_error import syntax_error_at
from engine.query.nexi.tree import Phrase, Reference, Sign, Term, Word

# Double quotes; word processors replace the plain one by the typographic ones.
QUOTES = '"“”„'

SOURCE = "src:"

BLANKS = re.compile(r"\s*")
CO_WORD = re.compile(rf"[^\s{QUOTES}]+")
QUOTED = re.compile(rf"[^{QUOTES}]*")


def parse_co(text: str) -> tuple[Term, ...]:
    """Return the words, phrases and references of a keyword query, in order.

    Raises: QueryError if a quote is not closed or no term remains.

    >>> [str(term) for term in parse_co('+jedi "the force" -sith')]
    ['+jedi', '"the force"', '-sith']
    """
    terms, _ = read_terms(text, 0, len(text), CO_WORD)
    if not terms:
        raise syntax_error_at(text, 0, "no word with a letter or a digit", "Write some words, such as jedi force.")
    return terms


def read_terms(
    text: str, position: int, end: int, word: re.Pattern[str], separators: re.Pattern[str] = BLANKS
) -> tuple[tuple[Term, ...], int]:
    """Return the terms from a position on, and the position where they end: `end`, or where no term begins.

    `word` matches a word, `separators` what separates words.
    """
    terms: list[Term] = []
    term: Term | None
    while True:
        position = cast(re.Match[str], separators.match(text, position, end)).end()
        begin = position
        sign = cast(Sign, text[position] if position < end and text[position] in "+-" else "")
        position += len(sign)
        if position < end and text[position] in QUOTES:
            term, position = _phrase(text, position, end, sign)
        elif match := word.match(text, position, end):
            term, position = _word(match[0], sign), match.end()
        elif sign:
            continue  # a lone sign is a dash
        else:
            return tuple(terms), begin
        if term is not None:
            terms.append(term)


def _phrase(text: str, opening: int, end: int, sign: Sign) -> tuple[Phrase | None, int]:
    """Return the phrase after an opening quote, None if it is empty, and the position after the closing quote."""
    match = cast(re.Match[str], QUOTED.match(text, opening + 1, end))
    if match.end() == end:
        fix = 'Close the phrase with ", or remove the quote.'
        raise syntax_error_at(text, opening, "this quote is not closed", fix)
    words = tuple(word for word in match[0].split() if _has_letter_or_digit(word))
    return (Phrase(words, sign) if words else None), match.end() + 1


def _word(raw: str, sign: Sign) -> Term | None:
    if raw[: len(SOURCE)].lower() == SOURCE and len(raw) > len(SOURCE):
        return Reference(raw[len(SOURCE) :], sign)
    return Word(raw, sign) if _has_letter_or_digit(raw) else None


def _has_letter_or_digit(word: str) -> bool:
    return any(map(str.isalnum, word))
