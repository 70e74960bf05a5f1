"""Judgements of an assessor in a document: the sum of the actions in force, moved to the present text.

The actions say what an assessor did; they are checked, and what follows from them depends on their order.

Highlights are sets of characters as ascending intervals (start, end), end exclusive, that neither overlap nor touch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
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


@dataclass(frozen=True)
class Highlight:
    """Marked characters, end exclusive, and their text."""

    start: int
    end: int
    quote: str


@dataclass(frozen=True)
class Judged:
    """The judgements of one assessor on one document.

    marks: highlights. entry: best entry point, None for the start of the first highlight. is_done: whether the
    assessor has finished. is_irrelevant: whether nothing is relevant. lost: highlights that were not found again.
    lost_entry: the best entry point where it was not found again. n_moved: highlights, and a best entry
    point outside them, that are at another place than they were marked at. version: changes with every action.
    """

    marks: Intervals = ()
    entry: int | None = None
    note: str = ""
    is_done: bool = False
    is_irrelevant: bool = False
    lost: tuple[Highlight, ...] = ()
    lost_entry: Highlight | None = None
    n_moved: int = 0
    checksum: str = ""
    version: str = "0.0"
    can_undo: bool = False
    can_redo: bool = False

    @property
    def is_judged(self) -> bool:
        """Whether the document counts as judged: without highlights only if none that was lost is still to be seen."""
        return bool(self.marks) or (self.is_done and not self.lost)


def judged(actions: Sequence[Action]) -> Judged:
    """Return the judgements with their places in the text of the last action."""
    found = Judged()
    for action in actions:
        if action.state == DONE:
            found = _after(found, action)
    present = [action.state for action in actions if action.number > last_carry(list(actions))]
    return replace(found, version=version_of(list(actions)), can_undo=DONE in present, can_redo=UNDONE in present)


def _after(found: Judged, action: Action) -> Judged:  # noqa: PLR0911  (one per kind)
    """Return the judgements after one more action."""
    body = action.body
    found = replace(found, checksum=action.checksum)
    match action.kind:
        case "mark":
            marks = united([*found.marks, (body["start"], body["end"])])
            return replace(found, marks=marks, is_irrelevant=False)
        case "erase":
            return replace(found, marks=without(found.marks, body["start"], body["end"]))
        case "change":
            left = without(found.marks, body["old_start"], body["old_end"])
            return replace(found, marks=united([*left, (body["start"], body["end"])]), is_irrelevant=False)
        case "nothing":
            return replace(found, marks=(), entry=None, lost_entry=None, is_irrelevant=True, is_done=True)
        case "entry":
            return replace(found, entry=body["offset"], lost_entry=None, is_irrelevant=False)
        case "note":
            return replace(found, note=body["text"])
        case "done":
            return replace(found, is_done=True)
        case "reopen":
            return replace(found, is_done=False, is_irrelevant=False)
        case "forget":
            return replace(found, lost=(), lost_entry=None)
        case "carry" | "import":
            return Judged(
                marks=united((start, end) for start, end in body["marks"]),
                entry=body["entry"],
                note=found.note if action.kind == "carry" else body.get("note", ""),
                is_done=found.is_done if action.kind == "carry" else True,
                is_irrelevant=found.is_irrelevant if action.kind == "carry" else not body["marks"],
                lost=tuple(Highlight(*each) for each in body["lost"]),
                lost_entry=Highlight(*body["lost_entry"]) if body.get("lost_entry") else None,
                checksum=action.checksum,
            )
        case _:
            raise ValueError(f"unknown kind of action: {action.kind!r}")


# Characters before and after a highlight's old place in which its text is looked for.
NEAR = 2000
# Characters after a best entry point by which it is found again.
AFTER_ENTRY = 80


def carried(found: Judged, text: str, earlier: Callable[[str], str]) -> Judged:
    """Return the judgements on the present text of the document.

    A highlight is moved only if its text occurs exactly once within `NEAR` characters of its old place; else it is
    lost, and shown as lost. A best entry point in a highlight moves with it; one elsewhere moves as a highlight of the
    characters after it would.

    Args:
        earlier: returns a text that was judged, by its checksum.
    """
    checksum = checksum_of(text)
    if not found.checksum or found.checksum == checksum:
        return replace(found, checksum=checksum)
    old = earlier(found.checksum)
    marks: list[tuple[int, int]] = []
    lost = list(found.lost)
    entry, lost_entry = None, found.lost_entry
    n_moved = 0
    for start, end in found.marks:
        place = _only_place(old[start:end], text, start)
        if place is None:
            lost.append(Highlight(start, end, old[start:end]))
        else:
            marks.append((place, place + end - start))
            n_moved += place != start
            if found.entry is not None and start <= found.entry < end:
                entry = place + found.entry - start
    if found.entry is not None and entry is None:
        after = old[found.entry : found.entry + AFTER_ENTRY]
        entry = _only_place(after, text, found.entry) if after else None
        n_moved += entry not in (None, found.entry)
        if entry is None:
            lost_entry = Highlight(found.entry, found.entry + len(after), after)
    return replace(
        found,
        marks=united(marks),
        entry=entry,
        lost=tuple(lost),
        lost_entry=lost_entry,
        n_moved=n_moved,
        checksum=checksum,
    )


def _only_place(quote: str, text: str, near: int) -> int | None:
    """Return where a quote is if it occurs exactly once near a place, occurrences that overlap included."""
    first, last = max(0, near - NEAR), near + len(quote) + NEAR
    place = text.find(quote, first, last)
    if place < 0 or text.find(quote, place + 1, last) >= 0:
        return None
    return place


Intervals = tuple[tuple[int, int], ...]


def united(intervals: Iterable[tuple[int, int]]) -> Intervals:
    """Return the union of intervals; empty ones are dropped."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(each for each in intervals if each[0] < each[1]):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return tuple(found)


def without(intervals: Intervals, start: int, end: int) -> Intervals:
    """Return the intervals without the characters from `start` to `end`."""
    pieces = ((first, min(last, start)) for first, last in intervals)
    others = ((max(first, end), last) for first, last in intervals)
    return united([*pieces, *others]) if start < end else intervals


def size(intervals: Intervals) -> int:
    """Return the number of characters."""
    return sum(end - start for start, end in intervals)


def intersection(one: Intervals, other: Intervals) -> Intervals:
    """Return the characters in both."""
    rest = one
    for start, end in other:
        rest = without(rest, start, end)
    common = one
    for start, end in rest:
        common = without(common, start, end)
    return common


def compared(one: Intervals, other: Intervals) -> list[tuple[int, int, str]]:
    """Return the spans of two sets of characters with a class: `both`, `first` or `second`; ascending."""
    common = intersection(one, other)
    found = [(start, end, "both") for start, end in common]
    for name, marks in (("first", one), ("second", other)):
        rest = marks
        for start, end in common:
            rest = without(rest, start, end)
        found += [(start, end, name) for start, end in rest]
    return sorted(found)
