"""Parses path queries in NEXI, and in its syntax of 2003, by recursive descent.

    query       = (step ("[" condition "]")*)+
    step        = ("/" | "//") test
    test        = name | "*" | "(" name ("|" name)* ")" | "@" name
    path        = "."? step*          "./" and ".//" alone are "."
    condition   = conjunction ("or" conjunction)*
    conjunction = negation ("and" negation)*
    negation    = "not" negation | "(" condition ")" | about | comparison
    about       = "about" "(" path "," terms ")"                 2003: all terms between single quotes
    comparison  = path ("=" | "!=" | "<" | ">" | "<=" | ">=") (number | string) | path to an attribute

Words are in terms.py. The language is Narrowed Extended XPath I (Trotman & Sigurbjörnsson, INEX 2004). Beyond it, for
the topics of 2003: single steps, single quotes around the words of about(), strings, ``!=`` and ``not``.
"""

from __future__ import annotations

import math
import re
from functools import cache
from typing import cast

from engine.query.nexi import error_hints as hints
from engine.query.nexi.cursor import Cursor
from engine.query.nexi.element_path import LETTERS, is_element_path
from engine.query.nexi.terms import QUOTES, read_terms
from engine.query.nexi.tree import (
    About,
    And,
    Axis,
    Comparison,
    Condition,
    Nexi,
    Not,
    Operator,
    Or,
    RelativePath,
    Step,
    Term,
)

AXIS = re.compile(r"//?")

WRITE_A_TAG = "Write a tag that begins with a letter, such as sec, * for any, (sec|p), or @id for an attribute."
SEVERAL_TAGS = "Separate the tags by |, such as //(sec|p); * is written alone, as //*."
REMEDIES = {
    ".": "A path goes down only: write a tag instead of the dot, or remove it.",
    "/": "Write / for a step to children, // for one to all below.",
}


def read_step(cursor: Cursor) -> Step:
    """Return the step that begins here with a slash, without its conditions."""
    axis = cast(Axis, cursor.take(AXIS))
    match cursor.peek():
        case "*":
            cursor.position += 1
            return Step(axis)
        case "@":
            cursor.position += 1
            name = _attribute(cursor)
            if cursor.peek() in ("/", "["):
                fix = "Remove what follows the attribute."
                if cursor.peek() == "[":
                    fix = f'Compare it in the [ ] of the step before, such as //*[@{name} = "text"].'
                raise cursor.error("an attribute ends its path and takes no condition", fix)
            return Step(axis, (name,), is_attribute=True)
        case "(":
            return Step(axis, _alternatives(cursor))
        case _:
            return Step(axis, (_name(cursor),))


def read_relative_path(cursor: Cursor) -> RelativePath:
    """Return the path that begins here: with a dot or, as in topics of 2003, with a slash or an @."""
    steps: list[Step] = []
    cursor.peek()
    begin = cursor.position
    if cursor.peek() == ".":
        cursor.position += 1
        if cursor.peek() == ".":
            raise cursor.error("a path goes down only, there is no '..'", "Begin with . and a tag below it.")
    elif cursor.peek() == "@":
        cursor.position += 1
        return RelativePath((Step("/", (_attribute(cursor),), is_attribute=True),))
    while cursor.peek() == "/":
        slash = cursor.position
        cursor.take(AXIS)
        if not steps and cursor.peek() in tuple(",=<>!"):
            break
        cursor.position = slash
        steps.append(read_step(cursor))
    if cursor.peek() == "[":
        raise hints.condition_of_path(cursor, begin, str(RelativePath(tuple(steps))))
    return RelativePath(tuple(steps))


def _alternatives(cursor: Cursor) -> tuple[str, ...]:
    opening = cursor.position
    names: list[str] = []
    while not names or cursor.peek() == "|":
        cursor.position += 1
        names.append(_name(cursor, fix=SEVERAL_TAGS))
    cursor.close(")", opening, SEVERAL_TAGS)
    return tuple(names)


@cache
def _xml_name() -> re.Pattern[str]:
    """Return the expression of a name of XML 1.0, which may contain vowel signs and combining accents."""
    return re.compile(rf"[{LETTERS}][{LETTERS}0-9.:\u00b7\u0300-\u036f\u203f\u2040-]*")  # slow to compile


def _name(cursor: Cursor, expected: str = "a tag", fix: str = "") -> str:
    if not (name := cursor.take(_xml_name())):
        fix = fix or REMEDIES.get(cursor.peek(), WRITE_A_TAG)
        raise cursor.error(f"{expected} was expected, not {cursor.found()}", fix)
    begin = cursor.position - len(name)
    if "::" in name:
        fix = "Steps go down only: write / for one to children, // for one to all below."
        raise cursor.error(f"{name.partition('::')[0]}:: is not a step of a path", fix, begin)
    if cursor.peek() == "(":
        fix = "NEXI has one function, about(path, words), written between [ and ]."
        raise cursor.error(f"{name}() is not a step of a path", fix, begin)
    return name


def _attribute(cursor: Cursor) -> str:
    return _name(cursor, "the name of an attribute", "Write one attribute by its name, such as @id.")


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


def parse_nexi(text: str) -> Nexi:
    """Return the tree of a path query.

    Raises: QueryError with the position, what was expected there, and a hint.

    >>> parse_nexi("//article[about(., jedi)]//sec").steps[-1]
    Step(axis='//', names=('sec',), is_attribute=False, conditions=())
    """
    cursor = Cursor(text)
    if cursor.peek() != "/":
        fix = "Write //tag[about(., words)], or the words alone for a keyword query."
        raise cursor.error(f"a path query begins with / or //, not with {cursor.found()}", fix)
    if is_element_path(text):
        raise hints.path_of_element(cursor)
    steps: list[Step] = []
    while cursor.peek() == "/":
        step = read_step(cursor)
        steps.append(Step(step.axis, step.names, step.is_attribute, _conditions(cursor)))
    if cursor.peek():
        raise hints.unexpected_text(cursor, str(steps[-1]))
    return Nexi(tuple(steps))


def _conditions(cursor: Cursor) -> tuple[Condition, ...]:
    """Return the conditions in brackets that begin here."""
    conditions: list[Condition] = []
    while cursor.peek() == "[":
        opening = cursor.position
        cursor.position += 1
        conditions.append(read_condition(cursor))
        fix = "" if cursor.peek() == "]" else hints.connective_hint(cursor, is_outermost=True)
        cursor.close("]", opening, fix)
    return tuple(conditions)
