"""Notices about a keyword query: signs that are read as text, and operators of other query languages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from engine.notices import Notice
from engine.query.nexi.element_path import begins_with_slash, is_element_path
from engine.query.nexi.terms import FUZZY as FUZZY_WORD
from engine.query.nexi.terms import (
    MOST_IN_CAPITALS,
    SLOP,
    edits_of,
    has_operators,
    is_pattern,
    unclosed_quote,
    without_groups,
)
from engine.query.nexi.tree import Term
from engine.query.path_or_words import is_path_or_mistake
from engine.wording import shortened

MOST_NOTICES = 3
# Longest part of a query that a notice quotes, in characters.
LONGEST = 40
# Terms of a query that may be running text, at least.
FEWEST_OF_TEXT = 5

CLOSED_BY = {"(": ")", "[": "]", "{": "}"}
BRACKET = re.compile(r"[()\[\]{}]")
LONE_SIGN = re.compile(r"(?<!\S)[+-](?!\S)")
CONDITION = re.compile(r"(?<=\[)\s*about\s*\(|\babout\s*\(\s*\.|(?<=\[)\s*\.//")
FOREIGN_OPERATOR = re.compile(r'(?<!\S)!(?=[^\W\d_]{2}|[("])|&&|\|\|')
# Uppercase, between words: headlines in capitals have other capitals around it.
OPERATOR = re.compile(r"(?<!\S)(AND NOT|AND|OR|NOT|NEAR(?:/\d+)?)(?!\S)")
FIELD = re.compile(r"(?<!\S)[+-]?([^\W\d_][\w.-]*):(?=[\w(\"])(?!\d)(?!\w:)([^\s:]+)")
PATTERN = re.compile(r"(?<!\S)[+-]?=?((?=\S*\w)[\w'’.*-]*\*[\w'’.*-]*)(?!\S)")
# A letter replaced by a question mark; not where text or an address goes on after it.
WILDCARD = re.compile(r"(?<!\S)[+-]?=?([^\W\d_]+\?[^\W\d_]+)(?!\S)")
FUZZY = re.compile(r"(?<!\S)[+-]?=?([\w*]+~[\d.]*|\w+\^[\d.]+)(?!\S)")
# A sign right after a parenthesis, or before one of the alternatives in parentheses; not a hyphen before one letter.
SIGN_IN_PARENTHESES = re.compile(r"(?:(?<!\w)\(|(?P<among>\(\s+|\|\s*|\sOR\s+))([+-]=?[^\W\d_]{2}[\w-]*)")
PHRASE = re.compile(r'(\w\||(?<!\S)[+-]?=)?"[^"]*"((?:~\d+)?\|(?=[\w"]))?')
AFTER_PHRASE = re.compile(r'"[^"]*"([~^][^\s|)]*)?')
# The codes of the notices on what signs mean, and on a path query under a syntax that has none.
SIGNS = "signs"
NEEDS_SYNTAX = "path_needs_syntax"
# Those of the notices on a path query, or a condition of one, that is read as words.
PATHS_AS_WORDS = frozenset(("element_path_as_words", NEEDS_SYNTAX, "condition_as_words"))
SHOWN = re.compile(r"\w[\w-]*")  # of a term with a sign
REFERENCE = "src"  # of an example image, in topics of INEX


def keyword_notices(text: str, terms: Sequence[Term] = (), why_no_path: Notice | None = None) -> tuple[Notice, ...]:
    """Return how parts of a keyword query were read that may have meant something else; the first MOST_NOTICES.

    Of a path query that is read as words, only that is said: what its signs and names are as words follows from it.

    Args:
        terms: those of the query; a notice says what the signs of a long query mean.
        why_no_path: why a text that begins with a slash is not a path query; that notice comes first.

    >>> keyword_notices('5" gun')
    (Notice(not_closed, position=2, sign='"'),)
    >>> keyword_notices("fog AND")
    (Notice(no_operator, position=5, operator='AND'),)
    """
    if why_no_path is None and (path := tuple(_path(text))):
        return path
    found = set(chain.from_iterable(islice(kind(text), MOST_NOTICES) for kind in KINDS))
    signs = tuple(_signs(terms))  # as long as two others
    notices = sorted(found, key=lambda notice: (notice.fields["position"], notice.code))
    return (*read_as_words(why_no_path), *signs, *notices)[: MOST_NOTICES - len(signs)]


def read_as_words(why_no_path: Notice | None) -> tuple[Notice, ...]:
    """Return the notice that a text is not a path query, and why; none without a reason."""
    return () if why_no_path is None else (Notice("read_as_words", {"why": why_no_path}),)


def _signs(terms: Sequence[Term]) -> Iterator[Notice]:
    """Yield the meaning of the signs of a long query, which may be text in which they mean nothing."""
    if len(terms) < FEWEST_OF_TEXT:
        return
    required, unwanted = (
        tuple(
            shortened(match[0], LONGEST // 3)
            for term in terms
            if term.sign == sign and (match := SHOWN.search(str(term)))
        )
        for sign in ("+", "-")
    )
    if required or unwanted:
        yield Notice(SIGNS, {"required": required, "unwanted": unwanted})


def _at(position: int, code: str, **fields: str) -> Notice:
    """Return the notice on a place of a query."""
    return Notice(code, {"position": position + 1, **fields})


def _quote(text: str) -> Iterator[Notice]:
    position = unclosed_quote(text)
    if position is not None:
        yield _at(position, "not_closed", sign=text[position])


def _lone_signs(text: str) -> Iterator[Notice]:
    for match in LONE_SIGN.finditer(text):
        yield _at(match.start(), "stands_alone", sign=match[0])


def _signs_in_parentheses(text: str) -> Iterator[Notice]:
    if not ("(" in text and ("+" in text or "-" in text)):
        return
    outside = without_groups(text)
    for match in SIGN_IN_PARENTHESES.finditer(PHRASE.sub(lambda phrase: " " * len(phrase[0]), text)):
        if match["among"] is None or not outside[match.start(2)].strip():
            yield _at(match.start(2), "sign_in_parentheses", word=shortened(match[2], LONGEST))


def _phrases(text: str) -> Iterator[Notice]:
    """Yield the notices on signs beside phrases that mean nothing there."""
    for match in PHRASE.finditer(without_groups(text)) if '"' in text else ():
        if match[1] and match[1].endswith("="):
            yield _at(match.start(), "exact_phrase")
        elif match[1] or match[2]:
            yield _at(match.start(), "alternative_phrase")
    for match in AFTER_PHRASE.finditer(text):
        if match[1] and not SLOP.match(match[1]):
            yield _at(match.start(1), "no_proximity", sign=shortened(match[1], LONGEST))


def _brackets(text: str) -> Iterator[Notice]:
    opened: list[int] = []
    alone: list[int] = []
    for match in BRACKET.finditer(text):
        if match[0] in CLOSED_BY:
            opened.append(match.start())
        elif opened and CLOSED_BY[text[opened[-1]]] == match[0]:
            opened.pop()
        else:
            alone.append(match.start())
    for position in sorted(opened + alone):
        yield _at(position, "not_closed" if text[position] in CLOSED_BY else "closes_nothing", sign=text[position])


def _operators(text: str) -> Iterator[Notice]:
    """Yield the notices on words in capitals that combine terms in other query languages, but nothing here."""
    text, is_signed = without_groups(text), OPERATOR.search(text) is not None and has_operators(text)
    if any(map(str.islower, text)) or len(text.split()) <= MOST_IN_CAPITALS:
        for match in OPERATOR.finditer(text):
            if match[1].startswith("NEAR"):
                yield _at(match.start(), "lone_near", operator=match[1])
            elif not is_signed and match[1] == "OR":
                yield _at(match.start(), "lone_or")
            elif not is_signed:
                yield _at(match.start(), "no_operator", operator=match[1])


def _foreign_operators(text: str) -> Iterator[Notice]:
    """Yield the notices on signs that combine terms in other query languages, but nothing here."""
    for match in FOREIGN_OPERATOR.finditer(text) if "!" in text or "&&" in text or "||" in text else ():
        yield _at(match.start(), "foreign_operator", operator=match[0])


def _fields(text: str) -> Iterator[Notice]:
    for match in FIELD.finditer(without_groups(text)) if ":" in text else ():
        if match[1] != REFERENCE and not match[2].startswith("//"):
            word = shortened(match[2].strip('()"') or "words", LONGEST)
            yield _at(match.start(), "no_field", field=shortened(match[1], LONGEST), word=word)


def _patterns(text: str) -> Iterator[Notice]:
    for match in PATTERN.finditer(without_groups(text)) if "*" in text else ():
        if "**" in match[1] or match[1].strip("*").isalnum() or is_pattern(match[1].rstrip(",.;:!?")):
            continue  # marks of emphasis, or read as a pattern
        yield _at(match.start(1), "no_pattern", word=shortened(match[1], LONGEST))


def _wildcards(text: str) -> Iterator[Notice]:
    for match in WILDCARD.finditer(without_groups(text)) if "?" in text else ():
        yield _at(match.start(1), "no_wildcard", word=shortened(match[1], LONGEST))


def _misspelt(text: str) -> Iterator[Notice]:
    for match in FUZZY.finditer(without_groups(text)) if "~" in text or "^" in text else ():
        if fuzzy := FUZZY_WORD.fullmatch(match[1]):
            edits = edits_of(fuzzy[2])
            if read_as := "" if fuzzy[2] in (None, str(edits)) else f"~{'' if edits is None else edits}":
                yield _at(match.start(1), "other_edits", word=shortened(match[1], LONGEST), read_as=read_as)
            continue
        yield _at(match.start(1), "no_fuzziness", word=shortened(match[1], LONGEST))


def _path(text: str) -> Iterator[Notice]:
    """Yield the notice that a path query, or a condition of one, is read as words."""
    condition = CONDITION.search(text)
    if is_element_path(text):
        yield _at(0, "element_path_as_words")
    elif begins_with_slash(text) and (condition or is_path_or_mistake(text)):
        yield _at(condition.start() if condition else 0, NEEDS_SYNTAX)
    elif condition:
        yield _at(condition.start(), "condition_as_words")


# What looks for one kind of notice each, in the order of the positions.
KINDS = (
    _quote,
    _lone_signs,
    _signs_in_parentheses,
    _phrases,
    _brackets,
    _operators,
    _foreign_operators,
    _fields,
    _patterns,
    _wildcards,
    _misspelt,
)
