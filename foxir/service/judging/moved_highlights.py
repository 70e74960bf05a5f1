"""Moves highlights to the present text of a document that has changed since they were made, or shows them as lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from foxir.service.judging.actions import checksum_of
from foxir.service.judging.intervals import united
from foxir.service.judging.judged import Judged, Lost

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
            lost.append(Lost(start, end, old[start:end]))
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
            lost_entry = Lost(found.entry, found.entry + len(after), after)
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
