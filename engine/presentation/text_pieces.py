"""The pieces of a text between the borders of its elements, with what is between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from engine.arrays import ArrayRecord, Mask, Rows, places_of
from engine.presentation.text_blocks import NOTHING, PREFORMATTED, ROW, Kinds, TextBlocks
from engine.records import dataclass

# Pieces of which Python objects are made at once.
AT_ONCE = 4096


@dataclass(frozen=True, eq=False, repr=False)
class TextPieces(ArrayRecord):
    """The pieces of a text, none of them empty, in order; columns of shape (n,).

    begins, stops: characters. gaps: the strongest gap before each. are_exact: which are preformatted. rows: the number
    of the row of a table that each is in, -1 for none; columns: that of its cell, from 0, -1 for none.
    n_cells: of each row.
    """

    begins: Rows
    stops: Rows
    gaps: Kinds
    are_exact: Mask
    rows: Rows
    columns: Rows
    n_cells: Rows

    def __len__(self) -> int:
        return len(self.begins)

    def __repr__(self) -> str:
        return f"TextPieces({len(self)}, rows={len(self.n_cells)})"

    def __iter__(self) -> Iterator[tuple[int, int, int, bool, int, int]]:
        """Yield of each piece begin, stop, gap, whether it is preformatted, row and column."""
        columns = self.begins, self.stops, self.gaps, self.are_exact, self.rows, self.columns
        for first in range(0, len(self), AT_ONCE):
            part = (column[first : first + AT_ONCE].tolist() for column in columns)
            yield from zip(*part, strict=True)

    def cut_at(self, cuts: Sequence[int]) -> TextPieces:
        """Return the pieces, cut at some characters (ascending)."""
        if not cuts or not len(self):
            return self
        begins = np.union1d(self.begins, np.array(cuts, np.int64))
        places = self.begins.searchsorted(begins, "right") - 1
        is_here = (places >= 0) & (begins < self.stops.take(places))
        begins, places = begins.compress(is_here), places.compress(is_here)
        stops = np.minimum(self.stops.take(places), np.append(begins[1:], self.stops[-1]))
        gaps = np.where(begins == self.begins.take(places), self.gaps.take(places), NOTHING).astype(np.uint8)
        are_exact, rows, columns = self.are_exact.take(places), self.rows.take(places), self.columns.take(places)
        return TextPieces(begins, stops, gaps, are_exact, rows, columns, self.n_cells)

    def trimmed(self, text: str) -> TextPieces:
        """Return the pieces, the preformatted ones without empty lines at their ends."""
        if not self.are_exact.any():
            return self
        begins, stops = self.begins.copy(), self.stops.copy()
        for place in places_of(self.are_exact).tolist():
            span = int(begins[place]), int(stops[place])
            begins[place], stops[place] = without_empty_lines(text, *span, in_row=bool(self.rows[place] >= 0))
        return replace(self, begins=begins, stops=stops)


def without_empty_lines(text: str, begin: int, stop: int, *, in_row: bool = False) -> tuple[int, int]:
    """Return where preformatted text begins and ends without empty lines; in a row, without white space at its ends."""
    piece = text[begin:stop].rstrip()
    last = begin + len(piece)
    first = last - len(piece.lstrip())
    return (first if in_row else text.rfind("\n", begin, first) + 1 or begin), last


def text_pieces(blocks: TextBlocks) -> TextPieces:
    """Return the pieces of a text, given its elements."""
    n, kinds = len(blocks), blocks.kinds
    places = np.arange(n)
    opened = places + np.bincount(blocks.ends, minlength=n)[:n].cumsum()
    closed = opened + 2 * (blocks.ends - places) - 1
    offsets, gaps, are_exact = np.empty(2 * n, np.int64), np.empty(2 * n, np.uint8), np.zeros(2 * n, np.bool_)
    offsets[opened], offsets[closed] = blocks.begins, blocks.stops
    gaps[opened] = gaps[closed] = blocks.gaps
    are_exact[opened] = kinds == PREFORMATTED
    places = places_of(offsets[1:] > offsets[:-1])
    if not places.size:
        nothing = places[:0]
        return TextPieces(nothing, nothing, gaps[:0], are_exact[:0], nothing, nothing, nothing)
    strongest = np.maximum.reduceat(gaps[: places[-1] + 1], np.append(0, places[:-1] + 1))
    columns = rows = np.full(len(places), -1)
    of_rows, of_cells = opened.compress(kinds == ROW), opened.compress(blocks.are_cells)
    n_cells = of_rows[:0]
    if of_rows.size:
        rows = of_rows.searchsorted(places, "right") - 1
        rows[places >= np.append(closed.compress(kinds == ROW), 0).take(rows)] = -1
        edges = of_cells.searchsorted(np.append(of_rows, 2 * n))
        n_cells = np.diff(edges)
        columns = np.where(rows < 0, -1, of_cells.searchsorted(places, "right") - 1 - edges.take(rows))
    return TextPieces(
        offsets.take(places), offsets.take(places + 1), strongest, are_exact.take(places), rows, columns, n_cells
    )
