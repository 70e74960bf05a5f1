"""The terms of a keyword query, read sign by sign and word by word from its beginning."""

from __future__ import annotations

import re

from engine.query.nexi.terms import CO_SIGN, QUOTES, SIGNS, SOURCE
from engine.query.nexi.tree import Phrase, Reference, Sign, Term, Word

WORD = re.compile(rf"[^\s{QUOTES}]+")


def keyword_terms(text: str) -> tuple[Term, ...]:
    """Return what `parse_co` does."""
    if "\n" in text:
        text = "\n".join(map(_without_item_mark, text.split("\n")))
    quotes = [place for place, character in enumerate(text) if character in QUOTES]
    if len(quotes) % 2:
        text = f"{text[: quotes[-1]]} {text[quotes[-1] + 1 :]}"
    terms: list[Term] = []
    place = 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        match = CO_SIGN.match(text, place)
        assert match is not None
        sign: Sign = match[0]  # type: ignore[assignment]
        place += len(sign)
        if place < len(text) and text[place] in QUOTES:
            end = place + 1
            while text[end] not in QUOTES:
                end += 1
            words = tuple(word for word in text[place + 1 : end].split() if _counts(word))
            terms += [Phrase(words, sign)] if words else []
            place = end + 1
        elif word := WORD.match(text, place):
            terms += [_word(word[0], sign)] if _counts(word[0]) or _is_reference(word[0]) else []
            place = word.end()
    return tuple(terms)


def _without_item_mark(line: str) -> str:
    blank, item = line[: len(line) - len(line.lstrip())], line.lstrip()
    if item[:1] in "+*-" and item[:1] and item[1:2].isspace():
        return f"{blank}{item[0]}{_without_item_mark(item[1:])}"
    is_marked = item[:1] in SIGNS and item[1:2].strip() and item[1] not in SIGNS
    return f"{blank} {item[1:]}" if is_marked else line


def _word(raw: str, sign: Sign) -> Term:
    return Reference(raw[len(SOURCE) :], sign) if _is_reference(raw) else Word(raw, sign)


def _is_reference(raw: str) -> bool:
    return raw.lower().startswith(SOURCE) and len(raw) > len(SOURCE)


def _counts(word: str) -> bool:
    return any(character.isalnum() for character in word)
