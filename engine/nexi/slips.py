"""What was meant: errors and remedies for what people write by habit, in haste, or in another language."""

import re

from engine.errors import QueryError
from engine.nexi.cursor import Cursor

AHEAD = 200
"""So many characters from the place of an error on are looked at."""

CHOICE = "Write tags to choose from in parentheses, such as //(sec|p)."
MEANT = {
    **{"==": "=", "eq": "=", "is": "=", "<>": "!=", "ne": "!=", "≠": "!=", "!": "!="},
    **{"=<": "<=", "≤": "<=", "le": "<=", "&lt;=": "<=", "=>": ">=", "≥": ">=", "ge": ">=", "&gt;=": ">="},
    **{"lt": "<", "&lt;": "<", "gt": ">", "&gt;": ">"},
}
"""What other languages write for the operators of this one."""

MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
NO_OPERATOR = re.compile(r"&[lg]t;=?|[=<>!~≤≥≠]+|\w+")
BARE_PATH = r"[^\W\d][\w:.-]*(?://?@?[\w:.-]+)*"

FUNCTION = re.compile(r"([\w:-]+)\s*\(")
ORDINAL = re.compile(r"([0-9]+)\s*\]")
JOINT = re.compile(r"(and|or)\b", re.IGNORECASE)
REVERSED = re.compile(
    r"(?P<value>[+-]?[0-9]+(?:\.[0-9]+)?|\"[^\"]*\"|'[^']*')\s*(?P<operator><=|>=|!=|=|<|>)\s*"
    rf"(?P<path>[.@/][\w./:*@-]*|{BARE_PATH})"
)
COMPARISON_OF_NAME = re.compile(rf"{BARE_PATH}\s*[=<>!]")
OTHER_NOT = re.compile(r"[!~¬-]\s*(?:about\b|[(.@/])", re.IGNORECASE)

NAMES_AND_COMMA = re.compile(r"\(?([\w:-]+(?:\|[\w:-]+)+)\)?\s*,")
NAME_AND_COMMA = re.compile(rf"({BARE_PATH}|\*)\s*,\s*")
ABOUT_BEFORE = re.compile(r"(?:\b(?:and|or)\s+)?(?:\bnot\s+)?\babout\s*\Z", re.IGNORECASE)
PATH_BEHIND = re.compile(r"\(\s*[.@/]")

FRACTION = re.compile(r"([+-]?)(\.[0-9]+)(?![\w.])")
NUMBER_APART = re.compile(r"([+-])\s+([0-9]+(?:\.[0-9]+)?)(?![\w.])")
NUMBER_AND_DOT = re.compile(r"([+-]?[0-9]+)\.(?![\w.])")
NUMBER_AND_JOINT = re.compile(r"([+-]?[0-9]+(?:\.[0-9]+)?)(and|or)\b", re.IGNORECASE)
OTHER_QUOTES = re.compile(r"[“”„‘’]([^“”„‘’\"]*)[“”‘’]")
BARE_VALUE = re.compile(r"[^\s()\[\]\"]+(?:\s+(?!(?:and|or)\b)[^\s()\[\]\"]+)*", re.IGNORECASE)

ANOTHER_CONDITION = re.compile(
    r"about\b|not\b|[.(/@&|,;]|(?:and|or)(?=about\b|[(.@/])|xor\b|nand\b|nor\b|but\b", re.IGNORECASE
)
ANOTHER_PATH = re.compile(r"(?:[,;&|]+|(?:and|or)\b)\s*/", re.IGNORECASE)
CONDITION_ALONE = re.compile(
    r"(?:not\s*\(?\s*)?about\s*\([^()\[\]]*\)\)?|[.@][\w./:*@-]*\s*[=<>!][^\[\]]*", re.IGNORECASE
)


def no_condition(cursor: Cursor) -> QueryError:
    """Return the error for something between [ and ] that is no condition."""
    ahead = _ahead(cursor)
    if match := FUNCTION.match(ahead):
        return cursor.error(f"unknown function {match[1]}()", "NEXI has one: about(path, words).")
    if match := ORDINAL.match(ahead):
        fix = f"Remove [{match[1]}], or write [about(., {match[1]})]."
        return cursor.error("a position is no condition in NEXI", fix)
    if match := JOINT.match(ahead):
        fix = f"Remove {match[0]!r}, or put the condition before it that is missing."
        return cursor.error(f"a condition was expected, not {match[0]!r}", fix)
    if match := REVERSED.match(ahead):
        operator = MIRRORED.get(match["operator"], match["operator"])
        path = match["path"] if match["path"][0] in ".@/" else f".//{match['path']}"
        fix = f"Write {path} {operator} {match['value']}."
        return cursor.error("a comparison begins with its path, not with what it is compared with", fix)
    if COMPARISON_OF_NAME.match(ahead):
        fix = f"Write [.//{cursor.rest(']')}]."
        return cursor.error(f"a path in a condition begins with . or .//, not with {cursor.found()}", fix)
    fix = f"Write [about(., {_words(cursor.rest(']'))})]."
    if OTHER_NOT.match(ahead):
        fix = "Write not(...), such as not(about(., words))."
    elif ahead[:1] == "[":
        fix = "Conditions stand between one [ and one ]: remove this [."
    elif ahead[:1] in (")", "") or (ahead[:1] == "]" and cursor.text[: cursor.position].rstrip()[-1] != "["):
        fix = "Write the missing condition here, such as about(., words)."
    expected = "a condition was expected (about(), a comparison, not, or parentheses)"
    return cursor.error(f"{expected}, not {cursor.found()}", fix)


def no_path(cursor: Cursor) -> QueryError:
    """Return the error for an about() that does not begin with a path."""
    ahead = _ahead(cursor)
    fix = f"Write about(., {_words(cursor.rest(')'))})."
    if match := NAMES_AND_COMMA.match(ahead):
        fix = f"Write about(.//({match[1]}), {_words(_until(ahead[match.end() :], ')'))})."
    elif match := NAME_AND_COMMA.match(ahead):
        words = _words(_until(ahead[match.end() :], ")"))
        fix = f"Write about(.//{match[1]}, {words}), or without comma about(., words)."
    elif ahead[:1] == "(":
        fix = "Write about(.//(sec|p), words) for several tags, about(., words) for the element itself."
    return cursor.error(f"about() begins with a path such as . or .//p, not with {cursor.found()}", fix)


def no_comma(cursor: Cursor, path: str) -> QueryError:
    """Return the error for an about() whose path, which has been read, is not followed by a comma."""
    fix = f"Write about({path}, {_words(cursor.rest(')'))})."
    if cursor.peek() == "|" or re.match(r"(?:or|and)\s+[./]", _ahead(cursor), re.IGNORECASE):
        fix = CHOICE
    elif cursor.peek() == "@":
        fix = f"Write {path}/@ for an attribute of the element, {path}//@ for one below as well."
    return cursor.error(f"a comma was expected between path and words, not {cursor.found()}", fix)


def brackets_among_words(cursor: Cursor, opening: int) -> QueryError:
    """Return the error for an about(), open since a position, among whose words a bracket stands."""
    message = f") was expected, for the ( at position {opening + 1}, not "
    before = cursor.text[max(opening + 1, cursor.position - AHEAD) : cursor.position]
    if (match := ABOUT_BEFORE.search(before)) and PATH_BEHIND.match(_ahead(cursor)):
        cursor.position -= len(match[0])
        return cursor.error(message + cursor.found(), "Write ) here, which ends the words of the about() before.")
    return cursor.error(message + cursor.found(), "The words of about() hold no brackets: remove them.")


def no_operator(cursor: Cursor, path: str) -> QueryError:
    """Return the error for a path that nothing is compared with."""
    found = match[0] if (match := NO_OPERATOR.match(_ahead(cursor))) else ""
    if found.lower() in MEANT:
        return cursor.error(f"unknown operator {found!r}", f"Write {MEANT[found.lower()]}.")
    fix = f'Write about({path}, words), or compare: {path} = "text".'
    if cursor.peek() == "@":
        fix = f"Write {path}/@ for an attribute of the element, {path}//@ for one below as well."
    elif found.isdecimal():
        fix = f"Write {path} = {found}."
    expected = "one of = != < > <= >= was expected behind the path"
    return cursor.error(f"{expected}, not {cursor.found()}", fix)


def no_value(cursor: Cursor, compared: str) -> QueryError:
    """Return the error for a path and an operator, as given, behind which stands no value."""
    ahead = _ahead(cursor)
    value = " ".join(match[0].split()) if (match := BARE_VALUE.match(ahead)) else "text"
    fix = f'Write {compared} "{value}", or a number.'
    if match := FRACTION.match(ahead):
        fix = f"Write {compared} {match[1]}0{match[2]}."
    elif match := NUMBER_APART.match(ahead):
        fix = f"Write {compared} {match[1]}{match[2]}."
    elif match := NUMBER_AND_DOT.match(ahead):
        fix = f"Write {compared} {match[1]}."
    elif match := NUMBER_AND_JOINT.match(ahead):
        fix = f"Write {compared} {match[1]} {match[2]}, with a blank between."
    elif match := OTHER_QUOTES.match(ahead):
        fix = f'Write {compared} "{match[1]}".'
    elif ahead[:1] in (".", "@", "/"):
        fix = "A path is compared with a number or a string, not with another path."
    return cursor.error(f"a number or a string in quotes was expected, not {cursor.found()}", fix)


def no_joint(cursor: Cursor, *, is_outermost: bool) -> str:
    """Return the remedy where a condition is followed by something that does not belong to it; nothing if none fits."""
    ahead = _ahead(cursor)
    if is_outermost and ahead[:1] == ")":
        return "Remove this ), or add the ( that it closes."
    return "Join conditions by and, or by or." if ANOTHER_CONDITION.match(ahead) else ""


def left_over(cursor: Cursor, step: str) -> QueryError:
    """Return the error for something behind the last step, which is given."""
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
            fix = "Conditions stand between [ ]: write [about(., words)]."
        case ":" | "*" if step[-1] in "*:":
            fix = "Tags are written without prefix: remove it, and the colon."
        case _:
            if ANOTHER_PATH.match(ahead):
                fix = CHOICE
            elif match := CONDITION_ALONE.match(ahead):
                fix = f"Conditions stand between [ ]: write {step}[{' '.join(match[0].split())}]."
    return cursor.error(f"{cursor.found()} belongs to no part of the query", fix)


def _ahead(cursor: Cursor) -> str:
    cursor.peek()
    return cursor.text[cursor.position : cursor.position + AHEAD]


def _until(text: str, stop: str) -> str:
    return text[:80].partition(stop)[0]


def _words(text: str, otherwise: str = "words") -> str:
    """Return the words of a text as they may stand in about(); otherwise if there are none."""
    kept = re.sub(r"[()\[\]{}]+", " ", text)
    if sum(map(kept.count, '"“”„')) % 2:
        kept = re.sub('["“”„]', " ", kept)
    words = " ".join(kept.split()).strip(" ,;:|&.!/\\")
    return words if any(map(str.isalnum, words)) else otherwise
