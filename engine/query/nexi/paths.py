"""Parses the paths of a path query.

step  = ("/" | "//") test
test  = name | "*" | "(" name ("|" name)* ")" | "@" name
path  = "."? step*          "./" and ".//" alone are "."
"""

from __future__ import annotations

import re
from functools import cache
from typing import cast

from engine.query.nexi import error_hints as hints
from engine.query.nexi.cursor import Cursor
from engine.query.nexi.element_path import LETTERS
from engine.query.nexi.tree import Axis, RelativePath, Step

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
