"""Parses the terms of a query: `+jedi "the force" -sith src:/images/yoda.jpg`.

    terms   = term (("AND" | "NOT" | "AND" "NOT")? term)*      in keywords: AND is + before both, NOT - before the next
    term    = sign? (group | phrase | word | reference)       sign = + required, - unwanted
    group   = "(" member (("OR" | "|") member)+ ")"           one term of several; or, without blanks,
            | member ("|" member)+
    member  = phrase | word
    phrase  = '"' word* '"' ("~" number)?                     words in this order; in any, with up to so many others
    word    = "="? (text | pattern | fuzzy)                   = as it is written, not as other forms
    pattern = letters, digits and "*"                         the words that fit: light*, l*ght, *house
    fuzzy   = letters "~" number?                             the words within so many edits, at most 2: bouy~1

Titles of topics (CO) and about() use the same syntax, but only about() refuses a quote that is not closed. Everything
else between blanks is a word, and words without a letter or digit are ignored, as no analyser makes a term of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import cast

from engine.query.nexi.cursor import BLANKS, syntax_error_at
from engine.query.nexi.tree import Either, Fuzzy, Pattern, Phrase, Reference, Sign, Term, Word
from engine.query_limits import check_time
from engine.records import NamedTuple

# Double quotes; word processors replace the plain one by the typographic ones.
QUOTES = '"“”„'

SOURCE = "src:"

SIGNS = ("+", "-")
PLAIN_WORD = re.compile(rf"[^\s{QUOTES}]+")
QUOTE = re.compile(rf"[{QUOTES}]")
QUOTED = re.compile(rf"[^{QUOTES}]*")
SIGN = re.compile(r"[+-]?")
# After a phrase: further words that may be among its own.
SLOP = re.compile(r"~(\d{1,9})(?![\w~])")
FUZZY = re.compile(r"([^\W\d_]+)~(\d(?:\.\d+)?)?[,.;:!?]*")
MOST_EDITS = 2
# Terms of a query in which capitals stand out where all letters are capitals.
MOST_IN_CAPITALS = 3
# Characters of a name such as `F*`.
LONGEST_NAME = 2
EXACT = re.compile(r"=(?=[^\W\d_])")
SIGNED_EXACT = re.compile(r"[+-]=(?=[^\W\d_]{2})")
# A word that may be an alternative of another, lamp|lantern.
ALTERNATIVE = re.compile(r"=?\w[\w*'’.-]*+(?:~\d?(?:\.\d+)?)?|=?\*[\w*]++")
_PHRASE = rf"[{QUOTES}][^{QUOTES}]*+[{QUOTES}](?:~\d{{1,9}}+)?"
_MEMBER = rf"(?:[^\s()|{QUOTES}]++|{_PHRASE})"
_OR = r"(?:\s*+\|\s*|\s++OR\s++)"
MEMBER, OR = re.compile(_MEMBER), re.compile(_OR)
GROUP = re.compile(rf"\(\s*+{_MEMBER}(?:{_OR}{_MEMBER})+\s*+\)")
# Alternatives without brackets and blanks, lamp|"fog signal".
_BARE_MEMBER = rf"(?:{_PHRASE}|{ALTERNATIVE.pattern})"
BARE = re.compile(rf"{_BARE_MEMBER}(?:\|{_BARE_MEMBER})++(?![^\s,.;:!?)])")
# A group with its sign, or what is in quotes outside groups.
GROUP_OR_QUOTED = re.compile(
    rf"(?<!\S)(?:(?P<group>[+-]?{GROUP.pattern})|(?P<bare>[+-]?{BARE.pattern}))|[{QUOTES}][^{QUOTES}]*+[{QUOTES}]"
)
# In keywords a sign before a number, a currency, another sign or a mark of units and paths is text, `-20`, `+49`,
# `--force`, `+/-5`, and so is a hyphen before a single letter, as options of commands have it: `-v`.
AMOUNT = r"\d.,/=>~%$£€¥₹₽₩₪₫₱₴₦฿¢₺₿"
CO_SIGN = re.compile(rf"(?:[+-](?![-+{AMOUNT}])(?!(?<=-)[^\W\d_](?![^\s{QUOTES},.;:!?)\]])))?")
# In keywords of several lines, a sign at the beginning of a line is the mark of an item.
ITEM_MARK = re.compile(r"^([^\S\n]*(?:[+*-][^\S\n]+)*)[+-](?=[^\s+-])", re.MULTILINE)


def parse_co(text: str) -> tuple[Term, ...]:
    """Return the words, phrases and references of a keyword query, in order; none if it has no letter or digit.

    Nothing is refused: a quote that is not closed separates words, a lone sign is a dash, and signs of numbers, of
    options and of items are text. `AND`, `NOT` and `AND NOT` between terms are their signs.

    >>> [str(term) for term in parse_co('+jedi "the force" -sith 5" disk at -20')]
    ['+jedi', '"the force"', '-sith', '5', 'disk', 'at', '-20']
    >>> [str(term) for term in parse_co('fog AND "tide gauge" NOT bell')]
    ['+fog', '+"tide gauge"', '-bell']
    """
    terms = _terms(text)
    return tuple(_signed_by_operators(terms) or terms)


def has_operators(text: str) -> bool:
    """Return whether `AND` and `NOT` in a keyword query are operators."""
    return _signed_by_operators(_terms(text)) is not None


def _terms(text: str) -> list[Term]:
    text = without_item_marks(text)
    unclosed = unclosed_quote(text)
    if unclosed is not None:
        text = f"{text[:unclosed]} {text[unclosed + 1 :]}"
    terms: list[Term | None] = []
    place = 0
    for group in _groups(text):
        check_time()
        terms += _outside_groups(text[place : group.start])
        terms.append(group.term)
        place = group.end
    terms += _outside_groups(text[place:] if place else text)
    return [term for term in terms if term is not None]


def _signed_by_operators(terms: Sequence[Term]) -> list[Term] | None:
    """Return terms with the signs that operators between them stand for; None without an operator between terms.

    They are in capitals, as whole headlines are, and not beside `OR`, with which they could mean several things.
    """
    names = [term.text if isinstance(term, Word) and not (term.sign or term.is_exact) else "" for term in terms]
    is_headline = len(terms) > MOST_IN_CAPITALS and not any(map(str.islower, "".join(map(str, terms))))
    if is_headline or "OR" in names or not ("AND" in names or "NOT" in names):
        return None
    found: list[Term] = []
    sign: Sign = ""
    for term, name in zip(terms, names, strict=True):
        if name == "NOT" and found and sign != "-":
            sign = "-"
        elif name == "AND" and found and not sign:
            found[-1] = found[-1] if found[-1].sign else replace(found[-1], sign="+")
            sign = "+"
        elif name in ("AND", "NOT"):
            return None
        else:
            found.append(term if term.sign or not sign else replace(term, sign=sign))
            sign = ""
    return None if sign else found


class _Group(NamedTuple):
    """A group of alternatives: its first character in a text, and the one after its last."""

    start: int
    end: int
    term: Either


@lru_cache(2)  # of the query that is read, and of what notices see of it
def _groups(text: str) -> tuple[_Group, ...]:
    if not ("|" in text or ("(" in text and (" OR" in text or "OR " in text))):
        return ()
    found = []
    for match in GROUP_OR_QUOTED.finditer(text):
        check_time()
        if not (group := match["group"] or match["bare"]):
            continue
        if (match["group"] or QUOTE.search(group)) and (term := _either(group)):
            found.append(_Group(*match.span(), term))
    return tuple(found)


def without_groups(text: str) -> str:
    """Return a text of the same length with blanks in place of groups, `(lamp OR lantern)`."""
    parts, place = [], 0
    for group in _groups(text):
        parts += [text[place : group.start], " " * (group.end - group.start)]
        place = group.end
    return "".join([*parts, text[place:]])


def _outside_groups(text: str) -> list[Term | None]:
    terms: list[Term | None] = []
    outside, *others = QUOTE.split(text)
    for quoted, after in zip(others[0::2], others[1::2], strict=True):
        check_time()
        signed = outside[-1:] in SIGNS and not outside[-2:-1].strip()  # a sign alone before the quote is the phrase's
        terms += _words(outside[:-1] if signed else outside)
        slop = SLOP.match(after)
        terms.append(_phrase_of(quoted, cast(Sign, outside[-1:] if signed else ""), slop))
        outside = after[slop.end() :] if slop else after
    return terms + _words(outside)


def _words(text: str) -> list[Term | None]:
    """Return the term of each word between blanks; equal words are read once."""
    words = text.split()
    known: dict[str, Term | None] = {}
    for word in dict.fromkeys(words):
        check_time()
        known[word] = _signed_word(word)
    return list(map(known.__getitem__, words))


def _group_at(text: str, position: int, end: int) -> re.Match[str] | None:
    """Return the alternatives at a position of about(), in brackets or one of them a phrase; None for others."""
    if group := GROUP.match(text, position, end):
        return group
    bare = BARE.match(text, position, end)
    return bare if bare and QUOTE.search(bare[0]) else None


def _either(group: str) -> Either | None:
    """Return alternatives, perhaps in brackets and after a sign; None if one of them is neither word nor phrase."""
    sign = cast(Sign, group[0] if group[0] in SIGNS else "")
    position, end = len(sign), len(group)
    if group[position] == "(":
        position, end = position + 1, end - 1
    members: list[Term | None] = []
    while position < end:
        while group[position].isspace():
            position += 1
        member = cast(re.Match[str], MEMBER.match(group, position))
        if member[0][0] in QUOTES:
            quoted, _, slop = member[0][1:].rpartition(member[0].rstrip("~0123456789")[-1])
            members.append(_phrase_of(quoted, "", SLOP.match(slop)))
        else:
            members.append(_word(member[0], ""))
        after = OR.match(group, member.end(), end)
        position = after.end() if after else end
    return _either_of(members, sign)


def _either_of(members: list[Term | None], sign: Sign) -> Either | None:
    parts = [member for member in members if member is not None and not isinstance(member, Reference | Either)]
    return Either(tuple(dict.fromkeys(parts)), sign) if parts and len(parts) == len(members) else None


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
    text: str, position: int, end: int, word: re.Pattern[str], separators: re.Pattern[str] = BLANKS
) -> tuple[tuple[Term, ...], int]:
    """Return the terms from a position on, and the position where they end: `end`, or where no term begins.

    `word` matches a word, `separators` what separates words.
    """
    terms: list[Term] = []
    term: Term | None
    while True:
        check_time()
        position = cast(re.Match[str], separators.match(text, position, end)).end()
        begin = position
        sign = cast(Sign, cast(re.Match[str], SIGN.match(text, position, end))[0])
        position += len(sign)
        if (group := _group_at(text, position, end)) and (term := _either(sign + group[0])):
            position = group.end()
        elif position < end and text[position] in QUOTES:
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
    slop = SLOP.match(text, match.end() + 1, end)
    return _phrase_of(match[0], sign, slop), slop.end() if slop else match.end() + 1


def _phrase_of(quoted: str, sign: Sign, slop: re.Match[str] | None) -> Phrase | None:
    words = tuple(word for word in quoted.split() if _has_letter_or_digit(word))
    return Phrase(words, sign, int(slop[1]) if slop else None) if words else None


def _signed_word(raw: str) -> Term | None:
    """Return the term between two blanks in keywords, None for a sign or punctuation alone."""
    if raw.isalnum():  # as most words are
        return Word(raw)
    if raw[0] in SIGNS:
        sign = cast(Sign, raw[0] if SIGNED_EXACT.match(raw) else cast(re.Match[str], CO_SIGN.match(raw))[0])
        return _word(raw[len(sign) :], sign)
    return _word(raw, "")


def _word(raw: str, sign: Sign) -> Term | None:
    if raw.isalnum():
        return Word(raw, sign)
    if raw[: len(SOURCE)].lower() == SOURCE and len(raw) > len(SOURCE):
        return Reference(raw[len(SOURCE) :], sign)
    if not _has_letter_or_digit(raw):
        return None
    if "|" in raw and all(map(ALTERNATIVE.fullmatch, (parts := raw.rstrip(",.;:!?").split("|")))):
        return _either_of([_word(part, "") for part in parts], sign)
    return _single_word(raw, sign)


def _single_word(raw: str, sign: Sign) -> Term:
    is_exact = EXACT.match(raw) is not None
    text = raw[1:] if is_exact else raw
    if is_pattern(pattern := text.rstrip(",.;:!?")):
        return Pattern(pattern, sign, is_exact)
    if fuzzy := FUZZY.fullmatch(text):
        edits = edits_of(fuzzy[2])
        return Word(fuzzy[1], sign, is_exact) if edits == 0 else Fuzzy(fuzzy[1], edits, sign, is_exact)
    return Word(text, sign, is_exact)


def edits_of(typed: str | None) -> int | None:
    """Return the edits that a number after ~ asks for; None for the usual: without one, or with a share (`~0.8`)."""
    return None if not typed or not typed.isdecimal() else min(int(typed), MOST_EDITS)


def _has_letter_or_digit(word: str) -> bool:
    return word.isalnum() or any(map(str.isalnum, word))


def is_pattern(word: str) -> bool:
    """Return whether a word is a pattern: letters, digits and single asterisks; `F*` is the name of something.

    >>> [is_pattern(word) for word in ("light*", "*house", "l*ght", "*a*", "5*", "F*", "**bold**", "*", "a-b*")]
    [True, True, True, True, True, False, False, False, False]
    """
    if "*" not in word or "**" in word or word == "*" or (len(word) <= LONGEST_NAME and word.isupper()):
        return False
    return all(map(_may_be_in_pattern, word))


def _may_be_in_pattern(character: str) -> bool:
    return character == "*" or character.isalnum() or unicodedata.category(character)[0] == "M"


# What a word, pattern or misspelt word without a sign stands for; None for itself.
Found = Callable[[Word | Pattern | Fuzzy], tuple[str, ...] | None]


def all_expanded(terms: Sequence[Term], stands_for: Found) -> tuple[Term, ...]:
    """Return terms with the words for which their words stand (`expanded`); of equal terms, one."""
    found: dict[Term, Term] = {}
    for term in dict.fromkeys(terms):
        check_time()
        found[term] = expanded(term, stands_for)
    return tuple(found[term] for term in terms)


def expanded(term: Term, stands_for: Found) -> Term:
    """Return the term with the words for which its words stand."""
    if isinstance(term, Reference):
        return term
    if isinstance(term, Either):
        return replace(term, parts=tuple(dict.fromkeys(_expanded_parts(term.parts, stands_for))))
    key = _key(term)
    words = None if key is None else stands_for(key)
    if words is None:
        if not isinstance(term, Phrase):
            return term
        return replace(term, words=tuple(_expanded_in_phrase(word, stands_for) for word in term.words))
    is_exact = not isinstance(term, Phrase) and term.is_exact
    return Either(tuple(map(partial(_member, is_exact=is_exact), words)), term.sign)


def _key(term: Word | Pattern | Fuzzy | Phrase) -> Word | Pattern | Fuzzy | None:
    """Return a term as `expanded` looks for it: a phrase as its words; None for one that is as it is written."""
    if isinstance(term, Phrase):
        return Word(" ".join(term.words)) if term.slop is None else None
    return None if isinstance(term, Word) and term.is_exact else replace(term, sign="")


def _expanded_parts(
    parts: Sequence[Word | Pattern | Fuzzy | Phrase], stands_for: Found
) -> Iterator[Word | Pattern | Fuzzy | Phrase]:
    for part in parts:
        found = expanded(part, stands_for)
        yield from found.parts if isinstance(found, Either) else (part,) if isinstance(found, Reference) else (found,)


def _member(text: str, *, is_exact: bool) -> Word | Phrase:
    words = tuple(text.split())
    return Phrase(words) if len(words) > 1 else Word(text, is_exact=is_exact)


def _expanded_in_phrase(word: str, stands_for: Found) -> str:
    parts: list[str] = []
    for part in word.split("|"):
        words = stands_for(Pattern(part))
        parts += [part] if words is None else words
    return "|".join(dict.fromkeys(parts))


def words_that_stand_for_others(term: Term) -> Iterator[Word | Pattern | Fuzzy]:
    """Yield the words, patterns and misspelt words of a term that `expanded` looks for."""
    if isinstance(term, Either):
        for part in term.parts:
            yield from words_that_stand_for_others(part)
    elif not isinstance(term, Reference):
        if (key := _key(term)) is not None:
            yield key
        if isinstance(term, Phrase):
            yield from (part for part in phrase_parts(term) if is_pattern(part.text))


def phrase_parts(term: Term) -> Iterator[Pattern]:
    """Yield the words of a phrase, none of another term, as `expanded` looks for them: all as patterns."""
    for each in term.parts if isinstance(term, Either) else (term,):
        if isinstance(each, Phrase):
            yield from (Pattern(part) for word in each.words for part in word.split("|"))
