"""Parses the conditions of a path query, between [ and ].

condition   = conjunction ("or" conjunction)*
conjunction = negation ("and" negation)*
negation    = "not" negation | "(" condition ")" | about | comparison
about       = "about" "(" path "," terms ")"                 2003: all terms between single quotes
comparison  = path ("=" | "!=" | "<" | ">" | "<=" | ">=") (number | string) | path to an attribute
"""

from __future__ import annotations

import math
import re
from typing import cast

from engine.query.nexi import error_hints as hints
from engine.query.nexi.cursor import Cursor
from engine.query.nexi.paths import read_relative_path
from engine.query.nexi.terms import QUOTES, read_terms
from engine.query.nexi.tree import About, And, Comparison, Condition, Not, Operator, Or, Term

WORD = re.compile(rf"[^\s{QUOTES}()\[\]]+")
SEPARATORS = re.compile(r"[\s']*")
OPERATOR = re.compile(r"(<=|>=|!=|=|<|>)(?![=<>])")
# A number that is not the beginning of a date, a version or a word.
NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?(?![\w.]|[-/,:][0-9])")

# What may follow a condition.
AFTER_CONDITION = re.compile(r"[\])]|(?:and|or)(?!\w)", re.IGNORECASE)
STRING = re.compile(r"\"[^\"]*\"|'[^']*'")
END_OF_QUOTED_TERMS = re.compile(r"\"[^\"]*\"|'(?=\s*\))|[)\]]")


def read_condition(cursor: Cursor) -> Condition:
    """Return the condition that begins here; `and` binds more tightly than `or`."""
    parts = [_conjunction(cursor)]
    while cursor.take_word("or"):
        parts.append(_conjunction(cursor))
    return parts[0] if len(parts) == 1 else Or(tuple(parts))


def _conjunction(cursor: Cursor) -> Condition:
    parts = [_negation(cursor)]
    while cursor.take_word("and"):
        parts.append(_negation(cursor))
    return parts[0] if len(parts) == 1 else And(tuple(parts))


def _negation(cursor: Cursor) -> Condition:
    found = cursor.peek()
    begin = cursor.position
    if cursor.take_word("not"):
        cursor.descend()
        negated = _negation(cursor)
        cursor.depth -= 1
        return Not(negated)
    if found == "(":
        cursor.descend()
        cursor.position += 1
        condition = read_condition(cursor)
        fix = "" if cursor.peek() == ")" else hints.connective_hint(cursor, is_outermost=False)
        cursor.close(")", begin, fix)
        cursor.depth -= 1
        return condition
    if cursor.take_word("about"):
        return _about(cursor, begin)
    if found in (".", "/", "@"):
        return _comparison(cursor)
    raise hints.condition_expected(cursor)


def _about(cursor: Cursor, begin: int) -> About:
    """Return the about() of which the name has been read."""
    if cursor.peek() != "(":
        raise cursor.error(f"( was expected after about, not {cursor.found()}", "Write about(., words).")
    opening = cursor.position
    cursor.position += 1
    if cursor.peek() not in (".", "/", "@"):
        raise hints.path_expected(cursor)
    path = read_relative_path(cursor)
    if cursor.peek() != ",":
        raise hints.comma_expected(cursor, str(path))
    cursor.position += 1
    terms = _terms(cursor)
    if cursor.peek() in ("(", "["):
        raise hints.bracket_in_terms(cursor, opening)
    cursor.close(")", opening)
    if not terms:
        fix = f"Write what to look for: about({path}, words)."
        raise cursor.error("about() has no word with a letter or a digit", fix, begin)
    return About(path, terms)


def _terms(cursor: Cursor) -> tuple[Term, ...]:
    """Return the terms of about(); single quotes around all of them or around a word are ignored."""
    cursor.peek()
    end = _end_of_quoted_terms(cursor)
    stop = len(cursor.text) if end is None else end
    terms, cursor.position = read_terms(cursor.text, cursor.position, stop, WORD, SEPARATORS)
    if cursor.position == end:
        cursor.position += 1
    return terms


def _end_of_quoted_terms(cursor: Cursor) -> int | None:
    """Return the position of the closing single quote, which precedes a parenthesis; None if no quote begins here."""
    if cursor.peek() != "'":
        return None
    for match in END_OF_QUOTED_TERMS.finditer(cursor.text, cursor.position + 1):
        if match[0][0] != '"':
            return match.start() if match[0] == "'" else None
    return None


def _comparison(cursor: Cursor) -> Comparison:
    path = read_relative_path(cursor)
    operator = cast(Operator, cursor.take(OPERATOR))
    if not operator and path.steps and path.steps[-1].is_attribute and cursor.is_before(AFTER_CONDITION):
        return Comparison(path, "exists", "")
    if not operator:
        raise hints.operator_expected(cursor, str(path))
    if number := cursor.take(NUMBER):
        if math.isinf(float(number)):
            raise cursor.error("this number is too large", "Write a number below 1e308.", cursor.position - len(number))
        return Comparison(path, operator, float(number))
    if string := cursor.take(STRING):
        return Comparison(path, operator, string[1:-1])
    if cursor.peek() in ("'", '"'):
        raise cursor.error("this quote is not closed", f"Close the string with {cursor.peek()}.")
    raise hints.value_expected(cursor, f"{path} {operator}")
