"""Where answers and words of the query stand in a document: its text in bins of equal length."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from foxir.service.pages.document_view import DocumentPart, DocumentView

# Bins of a text beside it, and of a card in the list of answers.
BINS, CARD_BINS = 40, 100
HOTTEST = 9


@dataclass(frozen=True)
class Bin:
    """A stretch of the text. heat: that of its hottest block; words: of the query in it; answers: their numbers.

    place: the element that a link leads to, None for a stretch without blocks. is_here: whether the shown answer begins
        in it. is_marked: whether an assessor has highlighted some of it.
    """

    percent: int
    heat: int | None
    words: int
    answers: tuple[int, ...]
    place: int | None
    is_here: bool
    is_marked: bool

    @property
    def label(self) -> str:
        """What it has, in words."""
        found = [f"{self.percent} % into the text"]
        if self.answers:
            found.insert(0, f"answer {', '.join(map(str, self.answers))}")
        if self.words:
            found.append(f"{self.words:,} query word{'' if self.words == 1 else 's'}")
        return ": ".join([found[0], ", ".join(found[1:])]) if found[1:] else found[0]


def minimap(
    view: DocumentView,
    part: DocumentPart,
    heats: Mapping[int, int],
    words: Iterable[int],
    answers: Sequence[tuple[int, int]],
    here: int | None = None,
    marks: Iterable[tuple[int, int]] = (),
) -> list[Bin]:
    """Return the bins of a part of a document.

    Args:
        words: where the query's words begin. answers: spans of answers, best first. here: the number of the shown one.
        marks: spans that are highlighted.
    """
    size = max(part.stop - part.start, 1)

    def bin_of(character: int) -> int:
        return min(max((character - part.start) * BINS // size, 0), BINS - 1)

    heat: list[int | None] = [None] * BINS
    first: list[int | None] = [None] * BINS
    for place in range(part.first, part.end):
        if not view.own_words[place] or view.is_left_out[place]:
            continue
        found = heats.get(place)
        for number in range(bin_of(view.starts[place]), bin_of(max(view.stops[place] - 1, view.starts[place])) + 1):
            known = heat[number]
            if first[number] is None or (found is not None and (known is None or found > known)):
                heat[number], first[number] = found, place
    n_words = [0] * BINS
    for start in words:
        n_words[bin_of(start)] += 1
    inside: list[list[int]] = [[] for _ in range(BINS)]
    for rank, (start, _) in enumerate(answers):
        if part.start <= start < part.stop:
            inside[bin_of(start)].append(rank)
    marked = {
        number
        for start, end in marks
        if start < part.stop and end > part.start
        for number in range(bin_of(start), bin_of(end - 1) + 1)
    }
    return [
        Bin(
            100 * number // BINS,
            heat[number],
            n_words[number],
            tuple(rank + 1 for rank in inside[number]),
            first[number],
            here in inside[number],
            number in marked,
        )
        for number in range(BINS)
    ]


def strip(spans: Sequence[Sequence[float]], length: int, lowest: float, highest: float) -> list[tuple[int, str]]:
    """Return where answers stand in a document of a length: heat, 0 to 9, and a path in an SVG of 100 x 1.

    Args:
        spans: start, end and score of each answer; lowest, highest: scores of the page, which have heats 0 and 9.
    """
    if not spans:
        return []
    starts, ends, scores = np.array(spans, np.float64).T
    bins = np.minimum(CARD_BINS * np.stack([starts, ends]) // max(length, 1), CARD_BINS).astype(np.int64)
    firsts = np.minimum(bins[0], CARD_BINS - 1)
    lasts, width = np.maximum(bins[1], firsts + 1), highest - lowest
    shares = np.clip((scores - lowest) / width, 0, 1) if width > 0 else np.ones(len(scores))
    shown = set(zip(np.rint(HOTTEST * shares).astype(int).tolist(), firsts.tolist(), lasts.tolist(), strict=True))
    paths: dict[int, list[str]] = {}
    for heat, first, last in sorted(shown):
        paths.setdefault(heat, []).append(f"M{first} 0H{last}V1H{first}z")
    return [(level, "".join(found)) for level, found in paths.items()]
