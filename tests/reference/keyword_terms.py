"""The terms of a keyword query, read sign by sign and word by word from its beginning."""

from __future__ import annotations

import re
from dataclasses import replace

from engine.query.nexi.terms import CO_SIGN, QUOTES, SIGNS, SOURCE
from engine.query.nexi.tree import Either, Fuzzy, Pattern, Phrase, Reference, Sign, Term, Word

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
        if (place == 0 or text[place - 1].isspace()) and (group := _group(text, place)):
            terms.append(group[0])
            place = group[1]
            continue
        match = CO_SIGN.match(text, place)
        assert match is not None
        sign: Sign = match[0]  # type: ignore[assignment]
        if text[place : place + 2] in ("+=", "-=") and text[place + 2 : place + 4].isalpha() and len(text) > place + 3:
            sign = text[place]  # type: ignore[assignment]
        place += len(sign)
        if place < len(text) and text[place] in QUOTES:
            end = place + 1
            while text[end] not in QUOTES:
                end += 1
            words = tuple(word for word in text[place + 1 : end].split() if _counts(word))
            slop, place = _slop(text, end + 1)
            terms += [Phrase(words, sign, slop)] if words else []
        elif word := WORD.match(text, place):
            terms += [_word(word[0], sign)] if _counts(word[0]) or _is_reference(word[0]) else []
            place = word.end()
    return _signed(terms)


def _signed(terms: list[Term]) -> tuple[Term, ...]:
    """Return the terms with the signs for which AND and NOT stand; as they are if one of these is not between two."""
    words = [str(term) if isinstance(term, Word) else "" for term in terms]
    is_headline = len(terms) > 3 and not any(letter.islower() for term in terms for letter in str(term))
    text = "".join({"AND": "A", "NOT": "N", "OR": "O"}.get(word, "t") for word in words)
    if is_headline or "O" in text or not re.fullmatch("t+(?:(?:A|N|AN)t+)+", text):
        return tuple(terms)
    signs = [term.sign for term in terms]
    for place, letter in enumerate(text):
        for beside in {"A": (place - 1, place + 1), "N": (place + 1,)}.get(letter, ()):
            if text[beside] == "t":
                signs[beside] = signs[beside] or ("-" if letter == "N" else "+")  # type: ignore[assignment]
    return tuple(
        replace(term, sign=sign) for term, sign, letter in zip(terms, signs, text, strict=True) if letter == "t"
    )


def _without_item_mark(line: str) -> str:
    blank, item = line[: len(line) - len(line.lstrip())], line.lstrip()
    if item[:1] in "+*-" and item[:1] and item[1:2].isspace():
        return f"{blank}{item[0]}{_without_item_mark(item[1:])}"
    is_marked = item[:1] in SIGNS and item[1:2].strip() and item[1] not in SIGNS
    return f"{blank} {item[1:]}" if is_marked else line


def _slop(text: str, place: int) -> tuple[int | None, int]:
    """Return the number after a tilde, None without one, and where it ends."""
    end = place + 1
    while end < len(text) and text[end].isdecimal() and end < place + 10:
        end += 1
    after = text[end : end + 1]
    if text[place : place + 1] != "~" or end == place + 1 or after.isalnum() or after in ("_", "~"):
        return None, place
    return int(text[place + 1 : end]), end


def _group(text: str, place: int) -> tuple[Term, int] | None:
    """Return the group that begins here, perhaps with a sign, and where it ends."""
    sign: Sign = text[place] if text[place] in "+-" else ""  # type: ignore[assignment]
    place += len(sign)
    if text[place : place + 1] != "(":
        return None
    place += 1
    parts: list[Term | None] = []
    while True:
        while text[place : place + 1].isspace():
            place += 1
        member = _member(text, place)
        if member is None:
            return None
        parts.append(member[0])
        place = member[1]
        before = place
        while text[place : place + 1].isspace():
            place += 1
        if text[place : place + 1] == ")":
            place += 1
            break
        if text[place : place + 1] == "|":
            place += 1
        elif before < place and text[place : place + 2] == "OR" and text[place + 2 : place + 3].isspace():
            place += 2
        else:
            return None
    if len(parts) < 2 or any(part is None or isinstance(part, Reference | Either) for part in parts):
        return None
    return Either(tuple(dict.fromkeys(parts)), sign), place  # type: ignore[arg-type]


def _member(text: str, place: int) -> tuple[Term | None, int] | None:
    """Return the word or phrase that begins here, None for one of punctuation, and where it ends."""
    end = place
    if text[place : place + 1] and text[place] in QUOTES:
        end += 1
        while end < len(text) and text[end] not in QUOTES:
            end += 1
        if end == len(text):
            return None
        words = tuple(word for word in text[place + 1 : end].split() if _counts(word))
        slop, place = _slop(text, end + 1)
        return (Phrase(words, "", slop) if words else None), place
    while end < len(text) and not text[end].isspace() and text[end] not in f"()|{QUOTES}":
        end += 1
    return None if end == place else (_word(text[place:end], "") if _counts(text[place:end]) else None, end)


def _word(raw: str, sign: Sign) -> Term:
    if _is_reference(raw):
        return Reference(raw[len(SOURCE) :], sign)
    parts = raw.rstrip(",.;:!?").split("|")
    if len(parts) > 1 and all(map(_may_be_alternative, parts)):
        return Either(tuple(dict.fromkeys(_single(part, "") for part in parts)), sign)  # type: ignore[arg-type]
    return _single(raw, sign)


def _may_be_alternative(part: str) -> bool:
    part = part.removeprefix("=")
    if part[:1] == "*":
        return len(part) > 1 and all(each.isalnum() or each in "*_" for each in part) and _counts(part)
    word, tilde, number = part.rpartition("~")
    whole, point, decimals = number.partition(".")
    if tilde and (not whole or _is_digit(whole)) and (not point or decimals.isdecimal()):
        part = word
    return _counts(part[:1]) and all(each.isalnum() or each in "_*'’.-" for each in part)


def _single(raw: str, sign: Sign) -> Term:
    is_exact = raw[:1] == "=" and raw[1:2].isalpha()
    text = raw[1:] if is_exact else raw
    bare = text.rstrip(",.;:!?")
    letters = [each for each in bare if each != "*"]
    is_name = len(bare) <= 2 and bare.isupper()
    if "*" in bare and "**" not in bare and letters and not is_name and all(map(str.isalnum, letters)):
        return Pattern(bare, sign, is_exact)
    word, tilde, number = bare.rpartition("~")
    whole, point, decimals = number.partition(".")
    if (
        not tilde
        or not word.isalpha()
        or not (number == "" or (_is_digit(whole) and (not point or decimals.isdecimal())))
    ):
        return Word(text, sign, is_exact)
    if number == "0":
        return Word(word, sign, is_exact)
    return Fuzzy(word, min(int(number), 2) if _is_digit(number) else None, sign, is_exact)


def _is_digit(text: str) -> bool:
    return len(text) == 1 and text.isdecimal()


def _is_reference(raw: str) -> bool:
    return raw.lower().startswith(SOURCE) and len(raw) > len(SOURCE)


def _counts(word: str) -> bool:
    return any(character.isalnum() for character in word)
