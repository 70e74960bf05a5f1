"""Moves highlights to the present text of a document that has changed since they were made, or shows them as lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from foxir.service.judging.intervals import united
from foxir.service.judging.judged import Judged, Lost
from foxir.service.judging.store import checksum_of

# Characters before and after a highlight's old place in which its text is looked for.
NEAR = 2000


def carried(found: Judged, text: str, earlier: Callable[[str], str]) -> Judged:
    """Return the judgements on the present text of the document.

    A highlight is moved only if its text occurs exactly once within `NEAR` characters of its old place; else it is
    lost, and shown as lost.

    Args:
        earlier: returns a text that was judged, by its checksum.
    """
    checksum = checksum_of(text)
    if not found.checksum or found.checksum == checksum:
        return replace(found, checksum=checksum)
    old = earlier(found.checksum)
    marks: list[tuple[int, int]] = []
    lost = list(found.lost)
    n_moved = 0
    for start, end in found.marks:
        place = _only_place(old[start:end], text, start)
        if place is None:
            lost.append(Lost(start, end, old[start:end]))
        else:
            marks.append((place, place + end - start))
            n_moved += place != start
    entry = found.entry
    if entry is not None:
        around = old[entry : entry + 80]
        entry = _only_place(around, text, entry) if around else None
    return replace(found, marks=united(marks), entry=entry, lost=tuple(lost), n_moved=n_moved, checksum=checksum)


def _only_place(quote: str, text: str, near: int) -> int | None:
    """Return where a quote is if it occurs exactly once near a place, occurrences that overlap included."""
    first, last = max(0, near - NEAR), near + len(quote) + NEAR
    place = text.find(quote, first, last)
    if place < 0 or text.find(quote, place + 1, last) >= 0:
        return None
    return place
