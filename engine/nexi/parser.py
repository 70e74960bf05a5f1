"""Reading NEXI, and its spelling of 2003, by recursive descent.

    query = (step ("[" condition "]")*)+

Steps are in paths.py, conditions in conditions.py, words in terms.py. The language is Narrowed Extended XPath I
(Trotman & Sigurbjörnsson, INEX 2004). Beyond it, for the topics of 2003: single steps, single quotes around the words
of about(), strings, ``!=`` and ``not``.
"""

import re

from engine.nexi.conditions import how_to_join, read_condition
from engine.nexi.cursor import Cursor
from engine.nexi.paths import CHOICE, read_step
from engine.nexi.tree import Condition, Nexi, Step

CONDITION_ALONE = re.compile(
    r"(?:not\s*\(?\s*)?about\s*\([^()\[\]]*\)\)?|[.@][\w./:*@-]*\s*[=<>!][^\[\]]*", re.IGNORECASE
)


def is_nexi(text: str) -> bool:
    """Return whether a query is meant as a path query: it begins with a slash."""
    return text.lstrip().startswith("/")


def parse_nexi(text: str) -> Nexi:
    """Return the tree of a path query.

    Raises: QueryError that shows the place, what was expected there, and a likely remedy.

    >>> parse_nexi("//article[about(., jedi)]//sec").steps[-1]
    Step(axis='//', names=('sec',), is_attribute=False, conditions=())
    """
    cursor = Cursor(text)
    if cursor.peek() != "/":
        fix = "Write //tag[about(., words)], or the words alone for a keyword query."
        raise cursor.error(f"a path query begins with / or //, not with {cursor.found()}", fix)
    steps: list[Step] = []
    while cursor.peek() == "/":
        step = read_step(cursor)
        steps.append(Step(step.axis, step.names, step.is_attribute, _conditions(cursor)))
    if cursor.peek():
        raise cursor.error(f"{cursor.found()} belongs to no part of the query", _remedy(cursor, str(steps[-1])))
    return Nexi(tuple(steps))


def _conditions(cursor: Cursor) -> tuple[Condition, ...]:
    """Return the conditions in brackets that stand here."""
    conditions: list[Condition] = []
    while cursor.peek() == "[":
        opening = cursor.position
        cursor.position += 1
        conditions.append(read_condition(cursor))
        cursor.close("]", opening, how_to_join(cursor))
    return tuple(conditions)


def _remedy(cursor: Cursor, step: str) -> str:
    match cursor.peek():
        case "]":
            return "Remove this ], or add the [ that it closes."
        case ")":
            return "Remove this ), or add the ( that it closes."
        case "|":
            return CHOICE
        case _:
            if match := CONDITION_ALONE.match(cursor.text, cursor.position):
                return f"Conditions stand between [ ]: write {step}[{' '.join(match[0].split())}]."
            return f"Write {step}[about(., {cursor.rest('[')})], or remove it."
