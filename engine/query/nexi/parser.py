"""Parses path queries in NEXI, and in its syntax of 2003, by recursive descent.

    query = (step ("[" condition "]")*)+

Steps are in paths.py, conditions in conditions.py, words in terms.py. The language is Narrowed Extended XPath I
(Trotman & Sigurbjörnsson, INEX 2004). Beyond it, for the topics of 2003: single steps, single quotes around the words
of about(), strings, ``!=`` and ``not``.
"""

from __future__ import annotations

from engine.query.nexi import error_hints as hints
from engine.query.nexi.conditions import read_condition
from engine.query.nexi.cursor import Cursor
from engine.query.nexi.element_path import is_element_path
from engine.query.nexi.paths import read_step
from engine.query.nexi.tree import Condition, Nexi, Step


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
