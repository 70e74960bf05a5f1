"""The parts in which a long document is shown, a page each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from foxir.service.pages.document_view import DocumentView

# Characters of text on one page; longer documents are shown in parts.
PART = 250_000


@dataclass(frozen=True)
class DocumentPart:
    """Consecutive elements of a document: places first to end, and characters start to stop."""

    first: int
    end: int
    start: int
    stop: int


def parts_of(view: DocumentView, size: int = PART) -> list[DocumentPart]:
    """Return the parts of a document, each of about `size` characters; they begin with elements."""
    cuts = [0]
    begun = 0
    for place, start in enumerate(view.starts):
        if start - begun >= size and not view.is_inline[place] and view.stops[place] > start:
            cuts.append(place)
            begun = start
    ends = [*cuts[1:], len(view)]
    starts = [0, *(view.starts[cut] for cut in cuts[1:])]
    stops = [*starts[1:], len(view.text)]
    return [DocumentPart(*part) for part in zip(cuts, ends, starts, stops, strict=True)]


def part_at(parts: Sequence[DocumentPart], place: int) -> int:
    """Return the number of the part in which an element begins."""
    return bisect_right([part.first for part in parts], place) - 1
