"""The conditions of a query: what stands between [ and ].

condition   = conjunction ("or" conjunction)*
conjunction = negation ("and" negation)*
negation    = "not" negation | "(" condition ")" | about | comparison
about       = "about" "(" path "," terms ")"                 2003: all terms between single quotes
comparison  = path ("=" | "!=" | "<" | ">" | "<=" | ">=") (number | string)
"""

import math
import re
from typing import cast

from engine.nexi import slips
from engine.nexi.cursor import Cursor
from engine.nexi.paths import read_relative_path
from engine.nexi.terms import QUOTES, read_terms
from engine.nexi.tree import About, And, Comparison, Condition, Not, Operator, Or, Term

WORD = re.compile(rf"[^\s{QUOTES}()\[\]]+")
SEPARATORS = re.compile(r"[\s']*")
OPERATOR = re.compile(r"(<=|>=|!=|=|<|>)(?![=<>])")
NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?(?![\w.]|[-/,:][0-9])")
"""A number that is not the beginning of something else, such as a date."""

STRING = re.compile(r"\"[^\"]*\"|'[^']*'")
END_OF_QUOTED_TERMS = re.compile(r"\"[^\"]*\"|'(?=\s*\))|[)\]]")


def read_condition(cursor: Cursor) -> Condition:
    """Return the condition that begins here; ``and`` binds before ``or``."""
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
        fix = "" if cursor.peek() == ")" else slips.no_joint(cursor, is_outermost=False)
        cursor.close(")", begin, fix)
        cursor.depth -= 1
        return condition
    if cursor.take_word("about"):
        return _about(cursor, begin)
    if found in (".", "/", "@"):
        return _comparison(cursor)
    raise slips.no_condition(cursor)


def _about(cursor: Cursor, begin: int) -> About:
    """Return the about() whose name has been read."""
    if cursor.peek() != "(":
        raise cursor.error(f"( was expected behind about, not {cursor.found()}", "Write about(., words).")
    opening = cursor.position
    cursor.position += 1
    if cursor.peek() not in (".", "/", "@"):
        raise slips.no_path(cursor)
    path = read_relative_path(cursor)
    if cursor.peek() != ",":
        raise slips.no_comma(cursor, str(path))
    cursor.position += 1
    terms = _terms(cursor)
    if cursor.peek() in ("(", "["):
        raise slips.brackets_among_words(cursor, opening)
    cursor.close(")", opening)
    if not terms:
        fix = f"Write what to look for: about({path}, words)."
        raise cursor.error("about() has no word with a letter or a digit", fix, begin)
    return About(path, terms)


def _terms(cursor: Cursor) -> tuple[Term, ...]:
    """Return the terms of about(); single quotes around all of them, or around a word, are passed over."""
    cursor.peek()
    end = _end_of_quoted_terms(cursor)
    stop = len(cursor.text) if end is None else end
    terms, cursor.position = read_terms(cursor.text, cursor.position, stop, WORD, SEPARATORS)
    if cursor.position == end:
        cursor.position += 1
    return terms


def _end_of_quoted_terms(cursor: Cursor) -> int | None:
    """Return where the single quote ends that begins here: the next one before a closing parenthesis."""
    if cursor.peek() != "'":
        return None
    for match in END_OF_QUOTED_TERMS.finditer(cursor.text, cursor.position + 1):
        if match[0][0] != '"':
            return match.start() if match[0] == "'" else None
    return None


def _comparison(cursor: Cursor) -> Comparison:
    path = read_relative_path(cursor)
    operator = cast(Operator, cursor.take(OPERATOR))
    if not operator:
        raise slips.no_operator(cursor, str(path))
    if number := cursor.take(NUMBER):
        if math.isinf(float(number)):
            raise cursor.error("this number is too large", "Write a number below 1e308.", cursor.position - len(number))
        return Comparison(path, operator, float(number))
    if string := cursor.take(STRING):
        return Comparison(path, operator, string[1:-1])
    if cursor.peek() in ("'", '"'):
        raise cursor.error("this quote is not closed", f"Close the string with {cursor.peek()}.")
    raise slips.no_value(cursor, f"{path} {operator}")
