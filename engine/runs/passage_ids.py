"""Ids of elements and passages for programs that know documents only: `document#path`, `document#offset:length`."""

from __future__ import annotations

import re
from typing import NamedTuple

# In starts and lengths: no character offset given.
NOWHERE = -1

_PLACE = re.compile(r"(?P<document>.+)#(?:(?P<path>/[^#]*)|(?P<start>\d{1,18}):(?P<length>\d{1,18}))", re.DOTALL)


class Place(NamedTuple):
    """A document, and the element or the characters in it; `path` is None and `start` -1 for a whole document."""

    document: str
    path: str | None = None
    start: int = NOWHERE
    length: int = NOWHERE


def passage_id(document: str, path: str | None = None, start: int = NOWHERE, length: int = NOWHERE) -> str:
    """Return the id of the characters at an offset, else of the element at a path, else of a whole document.

    >>> passage_id("a", "/article[1]/p[2]"), passage_id("a", "/article[1]/p[2]", 70, 12), passage_id("a")
    ('a#/article[1]/p[2]', 'a#70:12', 'a')
    """
    if NOWHERE not in (start, length):
        return f"{document}#{start}:{length}"
    return document if path is None else f"{document}#{path}"


def place(identifier: str) -> Place:
    """Return what an id names; an id without a path or offset at its end names a whole document.

    >>> place("a#70:12"), place("b#/article[1]").path
    (Place(document='a', path=None, start=70, length=12), '/article[1]')
    """
    match = _PLACE.fullmatch(identifier)
    if match is None:
        return Place(identifier)
    if match["path"] is not None:
        return Place(match["document"], match["path"])
    return Place(match["document"], None, int(match["start"]), int(match["length"]))
