"""Syntax errors with a hint at the probable meaning: other query languages, forgotten brackets, missing blanks."""

from __future__ import annotations

import re

from engine.errors import QueryError
from engine.notices import Notice
from engine.query.nexi.cursor import Cursor

# Characters after the position of an error that are examined for a hint.
LOOKAHEAD = 200

CHOICE = "Write tags to choose from in parentheses, such as //(sec|p)."
# Operators of other languages, and their NEXI equivalents.
OTHER_OPERATORS = {
    **{"==": "=", "eq": "=", "is": "=", "<>": "!=", "ne": "!=", "≠": "!=", "!": "!="},
    **{"=<": "<=", "≤": "<=", "le": "<=", "&lt;=": "<=", "=>": ">=", "≥": ">=", "ge": ">=", "&gt;=": ">="},
    **{"lt": "<", "&lt;": "<", "gt": ">", "&gt;": ">"},
}

MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
NO_OPERATOR = re.compile(r"&[lg]t;=?|[=<>!~≤≥≠]+|\w+")
BARE_PATH = r"[^\W\d][\w:.-]*(?://?@?[\w:.-]+)*"

FUNCTION = re.compile(r"([\w:-]+)\s*\(")
ORDINAL = re.compile(r"([0-9]+)\s*\]")
POSITION = re.compile(r"\[\s*[0-9]+\s*\]")
ABOUT_ITSELF = re.compile(r"\[\s*about\s*\(\s*\.\s*,([^()\[\]]*)\)\s*\]", re.IGNORECASE)
CONNECTIVE = re.compile(r"(and|or)\b", re.IGNORECASE)
REVERSED = re.compile(
    r"(?P<value>[+-]?[0-9]+(?:\.[0-9]+)?|\"[^\"]*\"|'[^']*')\s*(?P<operator><=|>=|!=|=|<|>)\s*"
    rf"(?P<path>[.@/][\w./:*@-]*|{BARE_PATH})"
)
COMPARISON_OF_NAME = re.compile(rf"{BARE_PATH}\s*[=<>!]")
OTHER_NOT = re.compile(r"[!~¬-]\s*(?:about\b|[(.@/])", re.IGNORECASE)

NAMES_AND_COMMA = re.compile(r"\(?([\w:-]+(?:\|[\w:-]+)+)\)?\s*,")
NAME_AND_COMMA = re.compile(rf"({BARE_PATH}|\*)\s*,\s*")
ABOUT_BEFORE = re.compile(r"(?:\b(?:and|or)\s+)?(?:\bnot\s+)?\babout\s*\Z", re.IGNORECASE)
PATH_AFTER = re.compile(r"\(\s*[.@/]")

FRACTION = re.compile(r"([+-]?)(\.[0-9]+)(?![\w.])")
NUMBER_APART = re.compile(r"([+-])\s+([0-9]+(?:\.[0-9]+)?)(?![\w.])")
NUMBER_AND_DOT = re.compile(r"([+-]?[0-9]+)\.(?![\w.])")
NUMBER_AND_CONNECTIVE = re.compile(r"([+-]?[0-9]+(?:\.[0-9]+)?)(and|or)\b", re.IGNORECASE)
OTHER_QUOTES = re.compile(r"[“”„‘’]([^“”„‘’\"]*)[“”‘’]")
BARE_VALUE = re.compile(r"[^\s()\[\]\"]+(?:\s+(?!(?:and|or)\b)[^\s()\[\]\"]+)*", re.IGNORECASE)

ANOTHER_CONDITION = re.compile(
    r"about\b|not\b|[.(/@&|,;]|(?:and|or)(?=about\b|[(.@/])|xor\b|nand\b|nor\b|but\b", re.IGNORECASE
)
ANOTHER_PATH = re.compile(r"(?:[,;&|]+|(?:and|or)\b)\s*/", re.IGNORECASE)
CONDITION_ALONE = re.compile(
    r"(?:not\s*\(?\s*)?about\s*\([^()\[\]]*\)\)?|[.@][\w./:*@-]*\s*[=<>!][^\[\]]*", re.IGNORECASE
)


def path_of_element(cursor: Cursor) -> QueryError:
    """Return the error for the path of one element in the place of a query."""
    tag = cursor.text.rstrip().rpartition("/")[2].partition("[")[0]
    return cursor.error("this is the path of an element, not a query", Notice("show_or_search", {"tag": tag}))


def condition_expected(cursor: Cursor) -> QueryError:
    """Return the error for text between [ and ] that is not a condition."""
    ahead = _ahead(cursor)
    if match := FUNCTION.match(ahead):
        return cursor.error(f"unknown function {match[1]}()", "NEXI has one: about(path, words).")
    if match := ORDINAL.match(ahead):
        return cursor.error("NEXI has no positions such as [1]", Notice("remove_positions", {"position": match[1]}))
    if match := CONNECTIVE.match(ahead):
        fix = f"Remove {match[0]!r}, or add the missing condition before it."
        return cursor.error(f"a condition was expected, not {match[0]!r}", fix)
    if match := REVERSED.match(ahead):
        operator = MIRRORED.get(match["operator"], match["operator"])
        path = match["path"] if match["path"][0] in ".@/" else f".//{match['path']}"
        fix = f"Write {path} {operator} {match['value']}."
        return cursor.error("a comparison begins with the path, not with the value", fix)
    if COMPARISON_OF_NAME.match(ahead):
        fix = f"Write [.//{cursor.rest(']')}]."
        return cursor.error(f"a path in a condition begins with . or .//, not with {cursor.found()}", fix)
    fix = f"Write [about(., {_words(cursor.rest(']'))})]."
    if OTHER_NOT.match(ahead):
        fix = "Write not(...), such as not(about(., words))."
    elif ahead[:1] == "[":
        fix = "Conditions are written between one [ and one ]: remove this [, and its ]."
    elif ahead[:1] in (")", "") or (ahead[:1] == "]" and cursor.text[: cursor.position].rstrip()[-1] != "["):
        fix = "Write the missing condition here, such as about(., words)."
    expected = "a condition was expected (about(), a comparison, not, or parentheses)"
    return cursor.error(f"{expected}, not {cursor.found()}", fix)


def condition_of_path(cursor: Cursor, begin: int, path: str) -> QueryError:
    """Return the error for a path in a condition, from a position on, that has a condition of its own."""
    ahead = _ahead(cursor)
    fix = "Move it to the enclosing [ ], joined with and."
    if match := POSITION.match(ahead):
        fix = f"Remove {match[0]}: NEXI has no positions."
    elif (match := ABOUT_ITSELF.match(ahead)) and not ABOUT_BEFORE.search(cursor.text[:begin].rstrip("( \t\n")):
        fix = f"Write about({path}, {_words(match[1])})."
    return cursor.error("a path inside a condition takes no further condition", fix)


def path_expected(cursor: Cursor) -> QueryError:
    """Return the error for an about() that does not begin with a path."""
    ahead = _ahead(cursor)
    fix = f"Write about(., {_words(cursor.rest(')'))})."
    if match := NAMES_AND_COMMA.match(ahead):
        fix = f"Write about(.//({match[1]}), {_words(_until(ahead[match.end() :], ')'))})."
    elif match := NAME_AND_COMMA.match(ahead):
        words = _words(_until(ahead[match.end() :], ")"))
        fix = f"Write about(.//{match[1]}, {words}), or about(., {words}) for the element itself."
    elif ahead[:1] == "(":
        fix = "Write about(.//(sec|p), words) for several tags, about(., words) for the element itself."
    return cursor.error(f"about() begins with a path such as . or .//p, not with {cursor.found()}", fix)


def comma_expected(cursor: Cursor, path: str) -> QueryError:
    """Return the error for an about() whose path is not followed by a comma."""
    fix = f"Write about({path}, {_words(cursor.rest(')'))})."
    if cursor.peek() == "|" or re.match(r"(?:or|and)\s+[./]", _ahead(cursor), re.IGNORECASE):
        fix = CHOICE
    elif cursor.peek() == "@":
        fix = f"Write {path}/@ for an attribute of the element, {path}//@ for one below as well."
    return cursor.error(f"a comma was expected between path and words, not {cursor.found()}", fix)


def bracket_in_terms(cursor: Cursor, opening: int) -> QueryError:
    """Return the error for a bracket among the words of an about(), which was opened at a position."""
    message = f") was expected, for the ( at position {opening + 1}, not "
    before = cursor.text[max(opening + 1, cursor.position - LOOKAHEAD) : cursor.position]
    if (match := ABOUT_BEFORE.search(before)) and PATH_AFTER.match(_ahead(cursor)):
        cursor.position -= len(match[0])
        return cursor.error(message + cursor.found(), "Write ) here to end the preceding about().")
    return cursor.error(message + cursor.found(), "The words of about() must not contain brackets: remove them.")


def operator_expected(cursor: Cursor, path: str) -> QueryError:
    """Return the error for a path in a condition that is not followed by an operator."""
    found = match[0] if (match := NO_OPERATOR.match(_ahead(cursor))) else ""
    if found.lower() in OTHER_OPERATORS:
        return cursor.error(f"unknown operator {found!r}", f"Write {OTHER_OPERATORS[found.lower()]}.")
    fix = f'Write about({path}, words), or compare: {path} = "text".'
    if cursor.peek() == "@":
        fix = f"Write {path}/@ for an attribute of the element, {path}//@ for one below as well."
    elif found.isdecimal():
        fix = f"Write {path} = {found}."
    expected = "one of = != < > <= >= was expected after the path"
    return cursor.error(f"{expected}, not {cursor.found()}", fix)


def value_expected(cursor: Cursor, compared: str) -> QueryError:
    """Return the error for a comparison without a value; `compared` is its path and operator."""
    ahead = _ahead(cursor)
    value = " ".join(match[0].split()) if (match := BARE_VALUE.match(ahead)) else "text"
    fix = f'Write {compared} "{value}", or a number.'
    if match := FRACTION.match(ahead):
        fix = f"Write {compared} {match[1]}0{match[2]}."
    elif match := NUMBER_APART.match(ahead):
        fix = f"Write {compared} {match[1]}{match[2]}."
    elif match := NUMBER_AND_DOT.match(ahead):
        fix = f"Write {compared} {match[1]}."
    elif match := NUMBER_AND_CONNECTIVE.match(ahead):
        fix = f"Write {compared} {match[1]} {match[2]}, with a blank in between."
    elif match := OTHER_QUOTES.match(ahead):
        fix = f'Write {compared} "{match[1]}".'
    elif ahead[:1] in (".", "@", "/"):
        fix = "A path is compared with a number or a string, not with another path."
    return cursor.error(f"a number or a string in quotes was expected, not {cursor.found()}", fix)


def connective_hint(cursor: Cursor, *, is_outermost: bool) -> str:
    """Return the hint for text after a condition that is neither `and`, `or` nor a closing bracket; "" if none fits."""
    ahead = _ahead(cursor)
    if is_outermost and ahead[:1] == ")":
        return "Remove this ), or add the ( that it closes."
    return "Join conditions with and, or with or." if ANOTHER_CONDITION.match(ahead) else ""


def unexpected_text(cursor: Cursor, step: str) -> QueryError:
    """Return the error for text after the last step; `step` is that step."""
    ahead = _ahead(cursor)
    words = _words(cursor.rest("["), otherwise="")
    fix = f"Write {step}[about(., {words})], or remove it." if words else "Remove it."
    match ahead[0]:
        case "]":
            fix = "Remove this ], or add the [ that it closes."
        case ")":
            fix = "Remove this ), or add the ( that it closes."
        case "|":
            fix = CHOICE
        case "{":
            fix = "Conditions are written between [ and ]: write [about(., words)]."
        case ":" | "*" if step[-1] in "*:":
            fix = "Tags are written without prefix: remove it, and the colon."
        case _:
            if ANOTHER_PATH.match(ahead):
                fix = CHOICE
            elif match := CONDITION_ALONE.match(ahead):
                fix = f"Conditions are written between [ and ]: write {step}[{' '.join(match[0].split())}]."
    return cursor.error(f"unexpected {cursor.found()}", fix)


def _ahead(cursor: Cursor) -> str:
    cursor.peek()
    return cursor.text[cursor.position : cursor.position + LOOKAHEAD]


def _until(text: str, stop: str) -> str:
    return text[:80].partition(stop)[0]


def _words(text: str, otherwise: str = "words") -> str:
    """Return the words of a text in a form that about() accepts; `otherwise` if there are none."""
    kept = re.sub(r"[()\[\]{}]+", " ", text)
    if sum(map(kept.count, '"“”„')) % 2:
        kept = re.sub('["“”„]', " ", kept)
    words = " ".join(kept.split()).strip(" ,;:|&.!/\\")
    return words if any(map(str.isalnum, words)) else otherwise
