"""Parses the terms of a query: `+jedi "the force" -sith src:/images/yoda.jpg`.

Titles of topics (CO) and about() use the same syntax, but only about() refuses a quote that is not closed. Everything
between blanks is a word, and words without a letter or digit are ignored, as no analyser makes a term of them.
"""

from __future__ import annotations

import re
from typing import cast

from engine.query.nexi.cursor import BLANKS, syntax_error_at
from engine.query.nexi.tree import Phrase, Reference, Sign, Term, Word
from engine.query_limits import check_time

# Double quotes; word processors replace the plain one by the typographic ones.
QUOTES = '"“”„'

SOURCE = "src:"

SIGNS = ("+", "-")
PLAIN_WORD = re.compile(rf"[^\s{QUOTES}]+")
QUOTE = re.compile(rf"[{QUOTES}]")
QUOTED = re.compile(rf"[^{QUOTES}]*")
SIGN = re.compile(r"[+-]?")
# In keywords a sign before a number, a currency, another sign or a mark of units and paths is text, `-20`, `+49`,
# `--force`, `+/-5`, and so is a hyphen before a single letter, as options of commands have it: `-v`.
AMOUNT = r"\d.,/=>~%$£€¥₹₽₩₪₫₱₴₦฿¢₺₿"
CO_SIGN = re.compile(rf"(?:[+-](?![-+{AMOUNT}])(?!(?<=-)[^\W\d_](?![^\s{QUOTES},.;:!?)\]])))?")
# In keywords of several lines, a sign at the beginning of a line is the mark of an item.
ITEM_MARK = re.compile(r"^([^\S\n]*(?:[+*-][^\S\n]+)*)[+-](?=[^\s+-])", re.MULTILINE)


def parse_co(text: str) -> tuple[Term, ...]:
    """Return the words, phrases and references of a keyword query, in order; none if it has no letter or digit.

    Nothing is refused: a quote that is not closed separates words, a lone sign is a dash, and signs of numbers, of
    options and of items are text.

    >>> [str(term) for term in parse_co('+jedi "the force" -sith 5" disk at -20')]
    ['+jedi', '"the force"', '-sith', '5', 'disk', 'at', '-20']
    """
    text = without_item_marks(text)
    unclosed = unclosed_quote(text)
    if unclosed is not None:
        text = f"{text[:unclosed]} {text[unclosed + 1 :]}"
    terms: list[Term | None] = []
    outside, *others = QUOTE.split(text)
    for quoted, following in zip(others[0::2], others[1::2], strict=True):
        check_time()
        signed = outside[-1:] in SIGNS and not outside[-2:-1].strip()  # a sign alone before the quote is the phrase's
        terms += map(_signed_word, (outside[:-1] if signed else outside).split())
        terms.append(_phrase_of(quoted, cast(Sign, outside[-1:] if signed else "")))
        outside = following
    terms += map(_signed_word, outside.split())
    return tuple([term for term in terms if term is not None])


def without_item_marks(text: str) -> str:
    """Return a text of the same length in which the marks of items, in several lines, are blanks.

    >>> without_item_marks("lamps:\\n-oil\\n-gas")
    'lamps:\\n oil\\n gas'
    """
    return ITEM_MARK.sub(r"\1 ", text) if "\n" in text else text


def parse_plain(text: str) -> tuple[Term, ...]:
    """Return the words of a text without operators: signs, quotes and `src:` are text.

    >>> [str(term) for term in parse_plain('+jedi "the force" -sith')]
    ['jedi', 'the', 'force', 'sith']
    """
    found = (raw.lstrip("+-") for raw in PLAIN_WORD.findall(text))
    return tuple(Word(raw) for raw in found if _has_letter_or_digit(raw))


def unclosed_quote(text: str) -> int | None:
    """Return the position of the quote of a keyword query that is not closed, None if there is none."""
    quotes = [match.start() for match in QUOTE.finditer(text)]
    return quotes[-1] if len(quotes) % 2 else None


def read_terms(
    text: str,
    position: int,
    end: int,
    word: re.Pattern[str],
    separators: re.Pattern[str] = BLANKS,
) -> tuple[tuple[Term, ...], int]:
    """Return the terms from a position on, and the position where they end: `end`, or where no term begins.

    `word` matches a word, `separators` what separates words.
    """
    terms: list[Term] = []
    term: Term | None
    while True:
        position = cast(re.Match[str], separators.match(text, position, end)).end()
        begin = position
        sign = cast(Sign, cast(re.Match[str], SIGN.match(text, position, end))[0])
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
    return _phrase_of(match[0], sign), match.end() + 1


def _phrase_of(quoted: str, sign: Sign) -> Phrase | None:
    words = tuple(word for word in quoted.split() if _has_letter_or_digit(word))
    return Phrase(words, sign) if words else None


def _signed_word(raw: str) -> Term | None:
    """Return the term between two blanks in keywords, None for a sign or punctuation alone."""
    if raw.isalnum():  # as most words are
        return Word(raw)
    if raw[0] in SIGNS:
        sign = cast(Sign, cast(re.Match[str], CO_SIGN.match(raw))[0])
        return _word(raw[len(sign) :], sign)
    return _word(raw, "")


def _word(raw: str, sign: Sign) -> Term | None:
    if raw[: len(SOURCE)].lower() == SOURCE and len(raw) > len(SOURCE):
        return Reference(raw[len(SOURCE) :], sign)
    return Word(raw, sign) if _has_letter_or_digit(raw) else None


def _has_letter_or_digit(word: str) -> bool:
    return word.isalnum() or any(map(str.isalnum, word))
