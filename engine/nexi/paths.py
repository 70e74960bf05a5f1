"""The paths of a query: steps, and what a step selects.

step  = ("/" | "//") test
test  = name | "*" | "(" name ("|" name)* ")" | "@" name
path  = "."? step*          "./" and ".//" alone are "."
"""

import re
from typing import cast

from engine.nexi.cursor import Cursor
from engine.nexi.tree import Axis, RelativePath, Step

AXIS = re.compile(r"//?")
NAME = re.compile(r"[^\W\d][\w.:-]*")
CHOICE = "Write tags to choose from in parentheses, such as //(sec|p)."


def read_step(cursor: Cursor) -> Step:
    """Return the step that begins here, with a slash; conditions are not read."""
    axis = cast(Axis, cursor.take(AXIS))
    match cursor.peek():
        case "*":
            cursor.position += 1
            return Step(axis)
        case "@":
            cursor.position += 1
            name = _name(cursor)
            if cursor.peek() in ("/", "["):
                raise cursor.error(
                    "an attribute ends its path and takes no condition", "Remove what follows the attribute."
                )
            return Step(axis, (name,), is_attribute=True)
        case "(":
            return Step(axis, _alternatives(cursor))
        case _:
            return Step(axis, (_name(cursor),))


def read_relative_path(cursor: Cursor) -> RelativePath:
    """Return the path that begins here: with a dot, or, as topics of 2003 have it, with a slash or an @."""
    steps: list[Step] = []
    if cursor.peek() == ".":
        cursor.position += 1
        if cursor.peek() == ".":
            raise cursor.error("a path goes down only, there is no '..'", "Begin with . and name what lies below it.")
    elif cursor.peek() == "@":
        cursor.position += 1
        return RelativePath((Step("/", (_name(cursor),), is_attribute=True),))
    while cursor.peek() == "/":
        begin = cursor.position
        cursor.take(AXIS)
        if not steps and cursor.peek() in tuple(",=<>!"):
            break
        cursor.position = begin
        steps.append(read_step(cursor))
    if cursor.peek() == "[":
        fix = "Put it into the [ ] around, joined by and."
        raise cursor.error("a path inside a condition takes no condition of its own", fix)
    return RelativePath(tuple(steps))


def _alternatives(cursor: Cursor) -> tuple[str, ...]:
    opening = cursor.position
    names: list[str] = []
    while not names or cursor.peek() == "|":
        cursor.position += 1
        names.append(_name(cursor))
    cursor.close(")", opening, "Write the tags with | between them, such as //(sec|p).")
    return tuple(names)


def _name(cursor: Cursor) -> str:
    if not (name := cursor.take(NAME)):
        fix = "Write a tag that begins with a letter, such as sec, * for any, (sec|p), or @id for an attribute."
        raise cursor.error(f"a tag was expected, not {cursor.found()}", fix)
    if cursor.peek() == "(":
        fix = "NEXI has one function, about(path, words), and it stands between [ ]."
        raise cursor.error(f"{name}() is no step of a path", fix, cursor.position - len(name))
    return name
