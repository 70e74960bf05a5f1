"""Notices about a keyword query: signs that are read as text, and operators of other query languages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine.query.nexi.element_path import begins_with_slash, is_element_path
from engine.query.nexi.syntax_error import SHOW
from engine.query.nexi.terms import unclosed_quote
from engine.query.nexi.tree import Term
from engine.query.path_or_words import is_path_or_mistake

MOST_NOTICES = 3
# Longest part of a query that a notice quotes, in characters.
LONGEST = 40
# Terms of a query that may be running text, at least, and words that a notice on signs names.
FEWEST_OF_TEXT, MOST_NAMED = 5, 1

CLOSED_BY = {"(": ")", "[": "]", "{": "}"}
BRACKET = re.compile(r"[()\[\]{}]")
LONE_SIGN = re.compile(r"(?<!\S)[+-](?!\S)")
CONDITION = re.compile(r"(?<=\[)\s*about\s*\(|\babout\s*\(\s*\.|(?<=\[)\s*\.//")
# Uppercase, between words: headlines in capitals have other capitals around it.
OPERATOR = re.compile(r"(?<!\S)(AND NOT|AND|OR|NOT)(?!\S)")
FIELD = re.compile(r"(?<!\S)[+-]?([^\W\d_][\w.-]*):(?=[\w(\"])(?!\d)(?!\w:)([^\s:]+)")
PATTERN = re.compile(r"(?<!\S)[+-]?(\w+\*)(?!\S)")
FUZZY = re.compile(r"(?<!\S)[+-]?([\w\"”]+~[\d.]*|\w+\^[\d.]+)(?!\S)")
READ_AS_WORDS = "the query begins with / but is read as words: {why}."
SIGNS_AS_TEXT = "the syntax plain reads signs as text"
NEEDS_SYNTAX = "a path query needs the syntax path or auto"
SHOWN = re.compile(r"\w[\w-]*")  # of a term with a sign
REFERENCE = "src"  # of an example image, in topics of INEX


def keyword_notices(text: str, terms: Sequence[Term] = (), why_no_path: str | None = None) -> tuple[str, ...]:
    """Return how parts of a keyword query were read that may have meant something else; the first MOST_NOTICES.

    Args:
        terms: those of the query; a notice says what the signs of a long query mean.
        why_no_path: why a text that begins with a slash is not a path query; that notice comes first.

    >>> keyword_notices('5" gun')
    ('query, position 2: this " is not closed, so it is read as text.',)
    >>> keyword_notices("fog AND tide")
    ('query, position 5: AND is not an operator: write +word for a required word, -word for an unwanted one.',)
    """
    found = sorted({*_stray(text), *_other_operators(text, is_explained=why_no_path is not None)})
    notices = [f"query, position {position + 1}: {notice}." for position, notice in found]
    signs = tuple(_signs(terms))  # as long as two others
    return (*read_as_words(why_no_path), *signs, *notices)[: MOST_NOTICES - len(signs)]


def read_as_words(why_no_path: str | None) -> tuple[str, ...]:
    """Return the notice that a text is not a path query, and why; none without a reason."""
    return () if why_no_path is None else (READ_AS_WORDS.format(why=why_no_path.removeprefix("query, ")),)


def _signs(terms: Sequence[Term]) -> Iterator[str]:
    """Yield what the signs of a query mean that is so long that it may be text, in which they may mean nothing."""
    if len(terms) < FEWEST_OF_TEXT:
        return
    required, unwanted = (
        [match[0] for term in terms if term.sign == sign and (match := SHOWN.search(str(term)))] for sign in ("+", "-")
    )
    told = [
        f"{what}: {_named(words)}" for what, words in (("required (+)", required), ("unwanted (-)", unwanted)) if words
    ]
    if told:
        yield f"{'; '.join(told)}; {SIGNS_AS_TEXT}."


def _named(words: Sequence[str]) -> str:
    named = ", ".join(f"'{_shortened(word, LONGEST // 3)}'" for word in words[:MOST_NAMED])
    return f"{named} and {len(words) - MOST_NAMED} more" if len(words) > MOST_NAMED else named


def _stray(text: str) -> Iterator[tuple[int, str]]:
    """Yield positions and notices of quotes, brackets and signs without a partner."""
    position = unclosed_quote(text)
    if position is not None:
        yield position, f"this {text[position]} is not closed, so it is read as text"
    for match in LONE_SIGN.finditer(text) if _has_any("+-", text) else ():
        yield match.start(), f"this {match[0]} stands alone, so it is read as text"
    opened: list[tuple[str, int]] = []
    for match in BRACKET.finditer(text):
        if match[0] in CLOSED_BY:
            opened.append((CLOSED_BY[match[0]], match.start()))
        elif opened and opened[-1][0] == match[0]:
            opened.pop()
        else:
            yield match.start(), f"this {match[0]} closes nothing, so it is read as text"
    for _, position in opened:
        yield position, f"this {text[position]} is not closed, so it is read as text"


def _other_operators(text: str, *, is_explained: bool) -> Iterator[tuple[int, str]]:
    """Yield positions and hints where the text looks like another query language.

    Args:
        is_explained: whether another notice already says why the text is not a path query.
    """
    condition = CONDITION.search(text)
    if is_explained:
        pass
    elif is_element_path(text):
        yield 0, f"this is the path of an element, but is read as words: {SHOW} shows the element"
    elif begins_with_slash(text) and (condition or is_path_or_mistake(text)):
        yield condition.start() if condition else 0, f"this is read as words: {NEEDS_SYNTAX}"
    elif condition:
        remedy = "begins with /, such as //sec[about(., words)]"
        yield condition.start(), f"this is read as words: a path query {remedy}"
    if any(map(str.islower, text)) or len(text.split()) <= 3:
        for match in OPERATOR.finditer(text):
            yield match.start(), f"{match[1]} is not an operator: {_REMEDY}"
    for match in FIELD.finditer(text) if ":" in text else ():
        if match[1] != REFERENCE and not match[2].startswith("//"):
            field, word = _shortened(match[1]), _shortened(match[2].strip('()"') or "words")
            yield match.start(), f"{field}: names no field, so it is read as a word: write //{field}[about(., {word})]"
    for match in PATTERN.finditer(text) if "*" in text else ():
        pattern = _shortened(match[1])
        yield match.start(1), f"{pattern} is not a pattern: words are searched whole, stemmed as the index is"
    for match in FUZZY.finditer(text) if _has_any("~^", text) else ():
        yield match.start(1), f"{_shortened(match[1])}: ~ and ^ have no meaning, so they are read as text"


def _has_any(characters: str, text: str) -> bool:
    return any(character in text for character in characters)


_REMEDY = "write +word for a required word, -word for an unwanted one"


def _shortened(word: str, longest: int = LONGEST) -> str:
    return word if len(word) <= longest else f"{word[: longest - 1]}…"
