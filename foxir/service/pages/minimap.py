"""Where answers and words of the query stand in a document: its text in bins of equal length."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays import FloatArray, places_of, ranges
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
    starts, stops, own_words, is_left_out = view.starts, view.stops, view.own_words, view.is_left_out
    for place in range(part.first, part.end):
        if not own_words[place] or is_left_out[place]:
            continue
        found = heats.get(place)
        begin, last = bin_of(starts[place]), bin_of(max(stops[place] - 1, starts[place]))
        if found is None and begin == last and first[begin] is not None:  # as most of a document
            continue
        for number in range(begin, last + 1):
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


def strips(answers: Sequence[FloatArray], lengths: Sequence[int]) -> list[list[tuple[int, str]]]:
    """Return where answers stand in documents: heat, 0 to 9, and a path in an SVG of 100 x 1 for each of these.

    Args:
        answers: start, end and score of each answer of each document, shape (n, 3); the lowest score has heat 0,
            the highest 9.
        lengths: characters of the documents.
    """
    counts = [len(each) for each in answers]
    paths: list[dict[int, list[str]]] = [{} for _ in answers]
    if not any(counts):
        return [[] for _ in answers]
    starts, ends, scores = np.concatenate(answers).T
    sizes = np.repeat(np.maximum(lengths, 1), counts)
    bins = np.minimum(CARD_BINS * np.stack([starts, ends]) // sizes, CARD_BINS).astype(np.int64)
    firsts = np.minimum(bins[0], CARD_BINS - 1)
    lasts = np.maximum(bins[1], firsts + 1)
    lowest, width = scores.min(), np.ptp(scores)
    heats = (
        np.rint(HOTTEST * (scores - lowest) / width).astype(np.int64) if width > 0 else np.full(len(scores), HOTTEST)
    )
    spans = np.repeat(np.arange(len(counts)), counts) * CARD_BINS + firsts
    hottest = np.full(len(counts) * CARD_BINS, -1)
    np.maximum.at(hottest, ranges(spans, lasts - firsts), np.repeat(heats, lasts - firsts))
    are_first = np.arange(len(hottest)) % CARD_BINS == 0
    begins = places_of((np.diff(hottest, prepend=-1) != 0) | are_first)
    ends = np.append(begins[1:], len(hottest))
    for begin, end, heat in np.column_stack([begins, ends, hottest.take(begins)]).tolist():
        if heat >= 0:
            number, first = divmod(begin, CARD_BINS)
            paths[number].setdefault(heat, []).append(f"M{first} 0H{first + end - begin}V1H{first}z")
    return [[(heat, "".join(found)) for heat, found in each.items()] for each in paths]
