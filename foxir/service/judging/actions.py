"""The actions of an assessor on a document, and what follows from their order."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

# States of an action: it counts, it is undone and can be done again, it is undone for good.
DONE, UNDONE, DROPPED = 0, 1, 2

# Kinds and bodies of actions that are taken together.
Steps = list[tuple[str, Mapping[str, Any]]]


class Assignment(NamedTuple):
    """What is judged, and by whom."""

    topic: str
    assessor: str
    document: str


class Action(NamedTuple):
    """One action; body: what it marks, by name."""

    number: int
    kind: str
    checksum: str
    body: Mapping[str, Any]
    state: int


def last_carry(actions: list[Action]) -> int:
    """Return the number of the last action that took judgements over to a new text, 0 for none."""
    return max((action.number for action in actions if action.kind == "carry"), default=0)


def version_of(actions: list[Action]) -> str:
    """Return a text that differs after every change."""
    return f"{actions[-1].number if actions else 0}.{sum(action.state == UNDONE for action in actions)}"


def checksum_of(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
