"""Reading NEXI, and its spelling of 2003, by recursive descent.

    query = (step ("[" condition "]")*)+

Steps are in paths.py, conditions in conditions.py, words in terms.py. The language is Narrowed Extended XPath I
(Trotman & Sigurbjörnsson, INEX 2004). Beyond it, for the topics of 2003: single steps, single quotes around the words
of about(), strings, ``!=`` and ``not``.
"""

from engine.nexi import slips
from engine.nexi.conditions import read_condition
from engine.nexi.cursor import Cursor
from engine.nexi.paths import read_step
from engine.nexi.tree import Condition, Nexi, Step


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
        raise slips.left_over(cursor, str(steps[-1]))
    return Nexi(tuple(steps))


def _conditions(cursor: Cursor) -> tuple[Condition, ...]:
    """Return the conditions in brackets that stand here."""
    conditions: list[Condition] = []
    while cursor.peek() == "[":
        opening = cursor.position
        cursor.position += 1
        conditions.append(read_condition(cursor))
        fix = "" if cursor.peek() == "]" else slips.no_joint(cursor, is_outermost=True)
        cursor.close("]", opening, fix)
    return tuple(conditions)
