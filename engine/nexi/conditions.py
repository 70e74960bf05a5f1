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

from engine.errors import QueryError
from engine.nexi.cursor import Cursor
from engine.nexi.paths import CHOICE, read_relative_path
from engine.nexi.terms import QUOTES, read_terms
from engine.nexi.tree import About, And, Comparison, Condition, Not, Operator, Or, Term

WORD = re.compile(rf"[^\s{QUOTES}()\[\]]+")
SEPARATORS = re.compile(r"[\s']*")
OPERATOR = re.compile(r"(<=|>=|!=|=|<|>)(?![=<>])")
NO_OPERATOR = re.compile(r"&[lg]t;=?|[=<>!~≤≥≠]+|\w+")
ANOTHER_CONDITION = re.compile(r"about\b|not\b|[.(/@]|[&|,;]|xor\b|nand\b|nor\b|but\b", re.IGNORECASE)
MEANT = {
    **{"==": "=", "eq": "=", "is": "=", "<>": "!=", "ne": "!=", "≠": "!=", "!": "!="},
    **{"=<": "<=", "≤": "<=", "le": "<=", "&lt;=": "<=", "=>": ">=", "≥": ">=", "ge": ">=", "&gt;=": ">="},
    **{"lt": "<", "&lt;": "<", "gt": ">", "&gt;": ">"},
}
"""What other languages write for the operators of this one."""

NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?(?![\w.])")
OTHER_NUMBER = re.compile(
    r"(?P<sign>[+-]?)(?:(?P<fraction>\.[0-9]+)|(?P<number>[0-9]+(?:\.[0-9]+)?)(?P<word>and|or)\b)", re.I
)
JOINT = re.compile(r"(and|or)\b", re.IGNORECASE)
REVERSED = re.compile(
    r"(?P<value>[+-]?[0-9]+(?:\.[0-9]+)?|\"[^\"]*\"|'[^']*')\s*(?P<operator><=|>=|!=|=|<|>)\s*(?P<path>[.@/][\w./:*@-]*)"
)
MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
NAME_AND_COMMA = re.compile(r"([^\W\d][\w:.-]*(?:/{1,2}@?[\w:.-]+)*)\s*,\s*")
FUNCTION = re.compile(r"([\w:-]+)\s*\(")
ORDINAL = re.compile(r"([0-9]+)\s*\]")
COMPARISON_OF_NAME = re.compile(r"[^\W\d][\w:-]*(//?@?[\w:-]+)*\s*[=<>!]")
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
        cursor.close(")", begin, how_to_join(cursor))
        cursor.depth -= 1
        return condition
    if cursor.take_word("about"):
        return _about(cursor, begin)
    if found in (".", "/", "@"):
        return _comparison(cursor)
    raise _no_condition(cursor)


def _no_condition(cursor: Cursor) -> QueryError:
    """Return the error for something between [ and ] that is no condition."""
    if match := FUNCTION.match(cursor.text, cursor.position):
        return cursor.error(f"unknown function {match[1]}()", "NEXI has one: about(path, words).")
    if match := ORDINAL.match(cursor.text, cursor.position):
        return cursor.error(
            "a position is no condition in NEXI", f"Remove [{match[1]}], or write [about(., {match[1]})]."
        )
    if match := JOINT.match(cursor.text, cursor.position):
        fix = f"Remove {match[0]!r}, or put the condition before it that is missing."
        return cursor.error(f"a condition was expected, not {match[0]!r}", fix)
    if match := REVERSED.match(cursor.text, cursor.position):
        operator = MIRRORED.get(match["operator"], match["operator"])
        fix = f"Write {match['path']} {operator} {match['value']}."
        return cursor.error("a comparison begins with its path, not with what it is compared with", fix)
    if COMPARISON_OF_NAME.match(cursor.text, cursor.position):
        fix = f"Write [.//{cursor.rest(']')}]."
        return cursor.error(f"a path in a condition begins with . or .//, not with {cursor.found()}", fix)
    expected = "a condition was expected (about(), a comparison, not, or parentheses)"
    fix = f"Write [about(., {cursor.rest(']') or 'words'})]."
    return cursor.error(f"{expected}, not {cursor.found()}", fix)


def _about(cursor: Cursor, begin: int) -> About:
    """Return the about() whose name has been read."""
    if cursor.peek() != "(":
        raise cursor.error(f"( was expected behind about, not {cursor.found()}", "Write about(., words).")
    opening = cursor.position
    cursor.position += 1
    if cursor.peek() not in (".", "/", "@"):
        fix = f"Write about(., {cursor.rest(')').strip(' ,') or 'words'})."
        if match := NAME_AND_COMMA.match(cursor.text, cursor.position):
            words = cursor.rest(")")[len(" ".join(match[0].split())) :].strip() or "words"
            fix = f"Write about(.//{match[1]}, {words}), or without comma about(., words)."
        raise cursor.error(f"about() begins with a path such as . or .//p, not with {cursor.found()}", fix)
    path = read_relative_path(cursor)
    if cursor.peek() != ",":
        fix = f"Write about({path}, {cursor.rest(')').strip(' ;:') or 'words'})."
        if cursor.peek() == "|":
            fix = CHOICE
        raise cursor.error(f"a comma was expected between path and words, not {cursor.found()}", fix)
    cursor.position += 1
    terms = _terms(cursor)
    fix = "The words of about() hold no brackets: remove them." if cursor.peek() in ("(", "[") else ""
    cursor.close(")", opening, fix)
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
        raise _no_operator(cursor, str(path))
    if number := cursor.take(NUMBER):
        if math.isinf(float(number)):
            raise cursor.error("this number is too large", "Write a number below 1e308.", cursor.position - len(number))
        return Comparison(path, operator, float(number))
    if string := cursor.take(STRING):
        return Comparison(path, operator, string[1:-1])
    if cursor.peek() in ("'", '"'):
        raise cursor.error("this quote is not closed", f"Close the string with {cursor.peek()}.")
    fix = f'Write {path} {operator} "{cursor.rest("]") or "text"}", or a number.'
    if match := OTHER_NUMBER.match(cursor.text, cursor.position):
        is_fraction = match["fraction"] is not None
        number = f"0{match['fraction']}" if is_fraction else f"{match['number']} {match['word']}"
        fix = f"Write {path} {operator} {match['sign']}{number}{'.' if is_fraction else ', with a blank between.'}"
    raise cursor.error(f"a number or a string in quotes was expected, not {cursor.found()}", fix)


def _no_operator(cursor: Cursor, path: str) -> QueryError:
    """Return the error for a path that nothing is compared with."""
    begin = cursor.position
    found = cursor.take(NO_OPERATOR)
    cursor.position = begin
    if found.lower() in MEANT:
        return cursor.error(f"unknown operator {found!r}", f"Write {MEANT[found.lower()]}.")
    fix = f'Write about({path}, words), or compare: {path} = "text".'
    expected = "one of = != < > <= >= was expected behind the path"
    return cursor.error(f"{expected}, not {cursor.found()}", fix)


def how_to_join(cursor: Cursor) -> str:
    """Return the remedy where a condition follows another one with nothing or something else between; else nothing."""
    cursor.peek()
    return "Join conditions by and, or by or." if ANOTHER_CONDITION.match(cursor.text, cursor.position) else ""
