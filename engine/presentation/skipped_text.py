"""Texts without skipped elements: words of a query are searched there, as words go on across these."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from engine.arrays import distinct, ranges
from engine.index.reader import IndexReader

Span = tuple[int, int]


class SkippedText:
    """The skipped spans of a text.

    Args:
        spans: start and end of each, ascending by start; they may be empty or contain others.
    """

    def __init__(self, spans: Iterable[Span]) -> None:
        self.spans: list[Span] = []
        for start, end in spans:
            if end > (self.spans[-1][1] if self.spans else start):
                self.spans.append((start, end))
        self._starts = [start for start, _ in self.spans]
        self._before = [0, *accumulate(end - start for start, end in self.spans)]
        # Where the spans were, in the text without them.
        self._places = [start - before for start, before in zip(self._starts, self._before, strict=False)]

    def without(self, text: str, borders: Sequence[int]) -> tuple[str, list[int]]:
        """Return the text without the spans, and the given inner offsets (ascending) in it."""
        if not self.spans:
            return text, list(borders)
        cut = self._cut(text)
        return cut, [border for border in self._shifted(borders) if 0 < border < len(cut)]

    def _cut(self, text: str) -> str:
        edges = [0, *(edge for span in self.spans for edge in span), len(text)]
        return "".join(text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))

    def _shifted(self, offsets: Sequence[int]) -> list[int]:
        found = []
        for offset in offsets:
            number = bisect_right(self._starts, offset)
            inside = max(self.spans[number - 1][1] - offset, 0) if number else 0
            found.append(offset - self._before[number] + inside)
        return list(dict.fromkeys(found))

    def restore(self, start: int, end: int) -> list[Span]:
        """Return the spans of the whole text that are one span of the text without skipped ones; it is not empty."""
        first, last = bisect_right(self._places, start), bisect_left(self._places, end)
        inside = [edge for span in self.spans[first:last] for edge in span]
        edges = [start + self._before[first], *inside, end + self._before[last]]
        return [(edges[place], edges[place + 1]) for place in range(0, len(edges), 2)]


def skipped_in(index: IndexReader, rows: NDArray[np.int64], without: Collection[str] = ()) -> list[SkippedText]:
    """Return the skipped spans in the text of each element (ascending).

    Args:
        without: tags of elements that are left out, too.
    """
    found = [SkippedText(())] * len(rows)
    elements, are_left_out = index.elements, index.elements.is_tag(without)
    if not (elements.has_skipped or are_left_out.any()) or not len(rows):
        return found
    n_rows = elements.end(rows) - rows
    inner, of_row = ranges(rows, n_rows), np.arange(len(rows)).repeat(n_rows)
    are_skipped = elements.are_skipped(inner) | (are_left_out.take(elements.tag(inner)) & (inner != rows.take(of_row)))
    inner, of_row = inner.compress(are_skipped), of_row.compress(are_skipped)
    spans = index.spans_of(inner) - index.spans_of(rows)[:, :1].take(of_row, axis=0)
    for place in distinct(of_row).tolist():
        first, last = of_row.searchsorted([place, place + 1]).tolist()
        found[place] = SkippedText(spans[first:last].tolist())
    return found
