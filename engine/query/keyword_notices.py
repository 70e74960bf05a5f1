"""Notices about a keyword query: signs that are read as text, and operators of other query languages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine.notices import Notice
from engine.query.nexi.element_path import begins_with_slash, is_element_path
from engine.query.nexi.terms import FUZZY as FUZZY_WORD
from engine.query.nexi.terms import (
    MOST_IN_CAPITALS,
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
# Uppercase, between words: headlines in capitals have other capitals around it.
OPERATOR = re.compile(r"(?<!\S)(AND NOT|AND|OR|NOT)(?!\S)")
FIELD = re.compile(r"(?<!\S)[+-]?([^\W\d_][\w.-]*):(?=[\w(\"])(?!\d)(?!\w:)([^\s:]+)")
PATTERN = re.compile(r"(?<!\S)[+-]?=?((?=\S*\w)[\w'’.*-]*\*[\w'’.*-]*)(?!\S)")
# A letter replaced by a question mark; not where text or an address goes on after it.
WILDCARD = re.compile(r"(?<!\S)[+-]?=?([^\W\d_]+\?[^\W\d_]+)(?!\S)")
FUZZY = re.compile(r"(?<!\S)[+-]?=?(\w+~[\d.]*|\w+\^[\d.]+)(?!\S)")
# The codes of the notices on what signs mean, and on a path query under a syntax that has none.
SIGNS = "signs"
NEEDS_SYNTAX = "path_needs_syntax"
SHOWN = re.compile(r"\w[\w-]*")  # of a term with a sign
REFERENCE = "src"  # of an example image, in topics of INEX


def keyword_notices(text: str, terms: Sequence[Term] = (), why_no_path: Notice | None = None) -> tuple[Notice, ...]:
    """Return how parts of a keyword query were read that may have meant something else; the first MOST_NOTICES.

    Args:
        terms: those of the query; a notice says what the signs of a long query mean.
        why_no_path: why a text that begins with a slash is not a path query; that notice comes first.

    >>> keyword_notices('5" gun')
    (Notice(not_closed, position=2, sign='"'),)
    >>> keyword_notices("fog AND")
    (Notice(no_operator, position=5, operator='AND'),)
    """
    found = {*_stray(text), *_other_operators(text, is_explained=why_no_path is not None)}
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


def _stray(text: str) -> Iterator[Notice]:
    """Yield the notices of quotes, brackets and signs without a partner."""
    position = unclosed_quote(text)
    if position is not None:
        yield _at(position, "not_closed", sign=text[position])
    for match in LONE_SIGN.finditer(text) if _has_any("+-", text) else ():
        yield _at(match.start(), "stands_alone", sign=match[0])
    opened: list[tuple[str, int]] = []
    for match in BRACKET.finditer(text):
        if match[0] in CLOSED_BY:
            opened.append((CLOSED_BY[match[0]], match.start()))
        elif opened and opened[-1][0] == match[0]:
            opened.pop()
        else:
            yield _at(match.start(), "closes_nothing", sign=match[0])
    for _, position in opened:
        yield _at(position, "not_closed", sign=text[position])


def _other_operators(text: str, *, is_explained: bool) -> Iterator[Notice]:
    """Yield the notices on operators of other query languages.

    Args:
        is_explained: whether another notice already says why the text is not a path query.
    """
    condition = CONDITION.search(text)
    if is_explained:
        pass
    elif is_element_path(text):
        yield _at(0, "element_path_as_words")
    elif begins_with_slash(text) and (condition or is_path_or_mistake(text)):
        yield _at(condition.start() if condition else 0, NEEDS_SYNTAX)
    elif condition:
        yield _at(condition.start(), "condition_as_words")
    text, is_signed = without_groups(text), OPERATOR.search(text) is not None and has_operators(text)
    if not is_signed and (any(map(str.islower, text)) or len(text.split()) <= MOST_IN_CAPITALS):
        for match in OPERATOR.finditer(text):
            if match[1] == "OR":
                yield _at(match.start(), "lone_or")
            else:
                yield _at(match.start(), "no_operator", operator=match[1])
    for match in FIELD.finditer(text) if ":" in text else ():
        if match[1] != REFERENCE and not match[2].startswith("//"):
            word = shortened(match[2].strip('()"') or "words", LONGEST)
            yield _at(match.start(), "no_field", field=shortened(match[1], LONGEST), word=word)
    yield from _no_patterns(text)


def _no_patterns(text: str) -> Iterator[Notice]:
    """Yield the notices on signs of patterns and misspelt words that are read as text, or otherwise."""
    for match in PATTERN.finditer(text) if "*" in text else ():
        if "**" in match[1] or match[1].strip("*").isalnum() or is_pattern(match[1].rstrip(",.;:!?")):
            continue  # marks of emphasis, or read as a pattern
        yield _at(match.start(1), "no_pattern", word=shortened(match[1], LONGEST))
    for match in WILDCARD.finditer(text) if "?" in text else ():
        yield _at(match.start(1), "no_wildcard", word=shortened(match[1], LONGEST))
    for match in FUZZY.finditer(text) if _has_any("~^", text) else ():
        if fuzzy := FUZZY_WORD.fullmatch(match[1]):
            edits = edits_of(fuzzy[2])
            if read_as := "" if fuzzy[2] in (None, str(edits)) else f"~{'' if edits is None else edits}":
                yield _at(match.start(1), "other_edits", word=shortened(match[1], LONGEST), read_as=read_as)
            continue
        yield _at(match.start(1), "no_fuzziness", word=shortened(match[1], LONGEST))


def _has_any(characters: str, text: str) -> bool:
    return any(character in text for character in characters)
