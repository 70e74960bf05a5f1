"""The actions of an assessor on a document: what they say, checked, and what follows from their order."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from foxir.service.http.problems import ProblemError

# States of an action: it counts, it is undone and can be done again, it is undone for good.
DONE, UNDONE, DROPPED = 0, 1, 2

# Kinds and bodies of actions that are taken together.
Steps = list[tuple[str, Mapping[str, Any]]]


class Assignment(NamedTuple):
    """The judged document: by topic, and with its assessor."""

    topic: str
    assessor: str
    document: str


class Action(NamedTuple):
    """One action; body: its marks, by name."""

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


LONGEST_NOTE = 10_000
KINDS = ("mark", "erase", "change", "nothing", "entry", "note", "done", "reopen", "forget", "undo", "redo")


def checked_body(kind: str, body: Mapping[str, Any], length: int) -> dict[str, Any]:
    """Return the body of an action with the fields of its kind and no others; raises ProblemError 422."""
    if kind not in KINDS:
        raise ProblemError(422, f"kind = {kind[:40]!r}: expected {', '.join(KINDS)}.", "action")
    names = {
        "mark": ("start", "end"),
        "erase": ("start", "end"),
        "change": ("start", "end", "old_start", "old_end"),
        "entry": ("offset",),
    }.get(kind, ())
    found: dict[str, Any] = {}
    for name in names:
        value = body.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= length:
            raise ProblemError(422, f"{name}: expected a character of the text, 0 to {length:,}.", "action")
        found[name] = value
    if "start" in found and found["start"] >= found["end"]:
        raise ProblemError(422, "start: expected a character before 'end'.", "action")
    if kind == "note":
        text = body.get("text")
        if not isinstance(text, str) or len(text) > LONGEST_NOTE:
            raise ProblemError(422, f"text: expected a note of at most {LONGEST_NOTE:,} characters.", "action")
        if has_surrogates(text):
            raise ProblemError(422, "text: contains characters that are not text.", "action")
        found["text"] = text
    return found


def has_surrogates(text: str) -> bool:
    """Whether a text contains halves of characters, which JSON can write but UTF-8 cannot."""
    return any("\ud800" <= character <= "\udfff" for character in text)
