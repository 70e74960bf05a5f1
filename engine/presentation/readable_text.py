"""The text of an element as people and models read it: in lines, with one line for each row of a table.

The text of the index is that of the source without its tags, and its characters are what offsets count: it has the
line ends and indents of the source, and where the source has no white space between two elements, their texts run
together in it.

It is written piece by piece: a piece is the text between two borders of elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from engine.arrays import ArrayRecord, Mask, Rows, distinct, is_among, places_of
from engine.collection.profiles.profile import LAYOUT
from engine.index.elements.table_cells import OF_COLUMNS
from engine.index.reader import IndexReader
from engine.presentation.rewritten_text import Rewrite, blanked, rewrites, rewritten
from engine.presentation.snippets import runs_together
from engine.presentation.text_blocks import (
    BLANK,
    BORDER,
    NEW_LINE,
    NOTHING,
    PREFORMATTED,
    ROW,
    Kinds,
    TextBlocks,
    is_in_preformatted,
    text_blocks,
)
from engine.records import NamedTuple, dataclass
from engine.wording import shortened

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
        """Return the pieces, cut at the given characters (ascending)."""
        if not cuts or not len(self):
            return self
        begins = distinct(np.concatenate([self.begins, np.array(cuts, np.int64)]))
        places = self.begins.searchsorted(begins, "right") - 1
        is_here = (places >= 0) & (begins < self.stops.take(places))
        begins, places = begins.compress(is_here), places.compress(is_here)
        stops = np.minimum(self.stops.take(places), np.append(begins[1:], self.stops[-1]))
        gaps = np.where(begins == self.begins.take(places), self.gaps.take(places), NOTHING).astype(np.uint8)
        are_exact, rows, columns = self.are_exact.take(places), self.rows.take(places), self.columns.take(places)
        return TextPieces(begins, stops, gaps, are_exact, rows, columns, self.n_cells)

    def rewritten(self, changes: Sequence[Rewrite]) -> TextPieces:
        """Return the pieces outside of rewrites, and of each of these with a text the first piece."""
        if not changes or not len(self):
            return self
        cut = self.cut_at([edge for change in changes for edge in (change.begin, change.stop)])
        number = np.searchsorted([change.begin for change in changes], cut.begins, "right") - 1
        is_inside = (number >= 0) & (cut.begins < np.array([change.stop for change in changes]).take(number))
        is_first = np.append(True, number[1:] != number[:-1]) | ~np.append(False, is_inside[:-1])
        has_text = np.array([bool(change.text) for change in changes]).take(number)
        kept = places_of(~is_inside | (is_first & has_text))
        if not kept.size:
            gaps = cut.gaps[:0]
        else:  # a gap before what is left out is one before what follows
            gaps = np.maximum.reduceat(cut.gaps[: kept[-1] + 1], np.append(0, kept[:-1] + 1))
        begins, stops, are_exact = cut.begins.take(kept), cut.stops.take(kept), cut.are_exact.take(kept)
        return TextPieces(begins, stops, gaps, are_exact, cut.rows.take(kept), cut.columns.take(kept), self.n_cells)

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


def text_pieces(blocks: TextBlocks, columns_of_cells: Rows | None = None) -> TextPieces:
    """Return the pieces of a text, given its elements.

    Args:
        columns_of_cells: the column of each cell among them, if these do not follow each other in all rows.
    """
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
        of_pieces = of_cells.searchsorted(places, "right") - 1
        in_cell = (rows >= 0) & (of_pieces >= edges.take(rows))
        if columns_of_cells is None:
            columns_of_cells = np.arange(len(of_cells)) - edges[:-1].repeat(n_cells)
        columns = np.where(in_cell, np.append(columns_of_cells, -1).take(of_pieces), -1)
        has_cells = n_cells > 0
        if has_cells.any():
            n_cells[has_cells] = np.maximum.reduceat(columns_of_cells, edges[:-1].compress(has_cells)) + 1
    return TextPieces(
        offsets.take(places), offsets.take(places + 1), strongest, are_exact.take(places), rows, columns, n_cells
    )


# White space of XML, which browsers collapse: a no-break space and a thin space stay.
WHITE = " \t\r\n"
UNEVEN = re.compile(r"[ \t\r\n]{2,}|[\t\r\n]")
# Punctuation after which, and before which, a block in a cell needs no semicolon.
BEFORE, AFTER = ".,;:!?…([{/|–—-", ".,;:!?…)]}/|–—-"


def readable_text(index: IndexReader, document: int, row: int, start: int, end: int) -> str:
    """Return a stretch of an element's text in lines.

    White space is collapsed and trimmed as a browser does it, but for preformatted text (`Profile.preformatted_tags`,
    xml:space="preserve"), which loses only empty lines at its ends. Blocks are on lines of their own: elements in an
    element that has no text of its own, and those that are known as blocks or have one inside. An element in a line of
    text stays in it; a blank sets it apart where it would run together with the text around it.

    A row of a table is one line, its cells separated by ` | `, and blocks in a cell by a semicolon where no punctuation
    does it. A row with another table in a cell, or several lines of preformatted text, serves layout: its cells are
    blocks. Rows without text are left out. Cells stand in their columns: the text of one that covers several rows is
    repeated in each, shortened, and that of a header in each column (`spanned_cells`).

    Elements that the profile skips are left out: words go on across them. A formula in MathML is in linear form
    (`formulas`), a note in a sentence in brackets. No other character is added, none but white space left out.

    Args:
        row: the element. start, end: the stretch, in characters of the document's text.
    """
    return readable_parts(index, document, row, (start, end))[0]


def readable_parts(
    index: IndexReader, document: int, row: int, edges: Sequence[int], *, is_note: bool = False
) -> list[str]:
    """Return the readable text from the first to the last offset (ascending), cut at those between.

    What is written between two texts belongs to the part before it.

    Args:
        is_note: whether it is that of a note, inside which no other one has brackets.
    """

    def note_text(note: int) -> str:
        span = index.spans(document, np.array([note]))[0].tolist()
        (inside,) = readable_parts(index, document, note, span, is_note=True)
        return f"[{collapsed(inside)}]" if inside else ""

    start, end = edges[0], edges[-1]
    text = index.text(document)[start:end]
    cuts = [cut - start for cut in edges[1:-1]]
    changes = rewrites(index, document, row, start, text, None if is_note else note_text)
    shown = blanked(text, changes)
    for change in changes:  # what is written is not cut
        cuts = [change.stop if change.begin < cut < change.stop else cut for cut in cuts]
    if is_in_preformatted(index, document, row):
        first, last = without_empty_lines(shown, 0, len(shown))
        places = [0, *(min(max(cut, first), last) for cut in cuts), last]
        return [rewritten(text, changes, max(begin, first), stop) for begin, stop in pairwise(places)]
    blocks = text_blocks(index, document, row, start, shown, [change.hidden_rows for change in changes])
    if len(blocks) == 1 and not cuts and blocks.kinds[0] != PREFORMATTED:
        return [collapsed(rewritten(text, changes, 0, len(text)).strip())]
    cells = spanned_cells(index, document, blocks)
    pieces = text_pieces(blocks, cells.columns).trimmed(shown).rewritten(changes).cut_at(cuts)
    formulas = {change.begin: change.text for change in changes if change.text}
    written, places = _written(text, pieces, cuts, cells.repeated, formulas)
    return ["".join(written[begin:stop]) for begin, stop in pairwise([0, *places, len(written)])]


def collapsed(text: str) -> str:
    """Return a text with one blank for all white space between others.

    >>> collapsed("a\\n  b")
    'a b'
    """
    is_uneven = "  " in text or "\n" in text or "\t" in text or "\r" in text
    return UNEVEN.sub(" ", text) if is_uneven else text


# The texts of cells that a row shares with others, by its number and column.
Repeated = Mapping[int, Mapping[int, str]]
# Columns in which the text of a cell is repeated, or that are empty, and repetitions in a text, at most; characters of
# each.
MOST_COLUMNS, MOST_REPEATED, LONGEST_REPEATED = 64, 50_000, 160


class SpannedCells(NamedTuple):
    """The columns of the cells of a text, None if they follow each other, and what is repeated in its rows."""

    columns: Rows | None
    repeated: Repeated


def spanned_cells(index: IndexReader, document: int, blocks: TextBlocks) -> SpannedCells:
    """Return where the cells of a text stand, in tables some of whose cells cover several columns or rows.

    The text of a cell is repeated in each row below that it covers; that of a header, in each column.
    """
    nothing = SpannedCells(None, {})
    of_rows = blocks.rows.compress(blocks.kinds == ROW)
    if not of_rows.size or not blocks.are_cells.any() or not LAYOUT.intersection(index.elements.attribute_names):
        return nothing
    known = index.table_cells(document)
    in_text = blocks.rows.compress(blocks.are_cells)
    places = known.cells.searchsorted(in_text)
    if not len(known) or not np.array_equal(known.cells.take(places, mode="clip"), in_text):
        return nothing
    is_here = is_among(known.tables, distinct(known.tables.take(places)))
    is_wide = is_here & ((known.widths > 1) | (known.heights > 1))
    columns = known.columns.take(places)
    if not is_wide.any():
        return SpannedCells(columns, {})
    rows, at = np.unique(known.rows.compress(is_here), return_index=True)
    in_tables = (column.compress(is_here).take(at).tolist() for column in (known.tables, known.numbers))
    every = zip(*in_tables, of_rows.searchsorted(rows).tolist(), is_among(rows, of_rows).tolist(), strict=True)
    row_at = {(table, number): row for table, number, row, is_in_text in every if is_in_text}
    repeated: dict[int, dict[int, str]] = {}
    left = MOST_REPEATED
    chosen = (column.compress(is_wide).tolist() for column in (known.cells, known.tables, known.numbers, known.columns))
    spans = (column.compress(is_wide).tolist() for column in (known.widths, known.heights, known.headers))
    for cell, table, number, column, width, height, header in zip(*chosen, *spans, strict=True):
        shown = None
        n_columns = min(width, MOST_COLUMNS) if header == OF_COLUMNS else 1
        for below in range(min(height, left)):
            row = row_at.get((table, number + below))
            left -= 1
            for beside in range(0 if below else 1, n_columns if row is not None and left > 0 else 0):
                if shown is None:
                    shown = _text_of_cell(index, document, cell)
                if shown and row is not None:
                    repeated.setdefault(row, {})[column + beside] = shown
                left -= 1
    return SpannedCells(columns, repeated)


def _text_of_cell(index: IndexReader, document: int, cell: int) -> str:
    """Return the text of a cell on one line, shortened; "" if it has lines or a table in it."""
    start, end = index.spans(document, np.array([cell]))[0].tolist()
    text = readable_text(index, document, cell, start, end)
    return "" if " | " in text else shortened(" ".join(text.split()), LONGEST_REPEATED)


def _written(
    text: str, pieces: TextPieces, cuts: Sequence[int], repeated: Repeated, in_place_of: Mapping[int, str]
) -> tuple[list[str], list[int]]:
    """Return the written parts of a text, and the part that each cut is before.

    Args:
        in_place_of: what is written for the pieces that begin at certain characters.
    """
    out: list[str] = []
    places: list[int] = []
    ahead = list(reversed(cuts))
    n_cells = [
        max(n - 1, *repeated[row]) + 1 if row in repeated else n for row, n in enumerate(pieces.n_cells.tolist())
    ]
    gap, in_row, in_column, is_exact = NEW_LINE, -1, -1, False
    for begin, stop, before, exact, row, column in pieces:
        gap = max(gap, before)
        piece = in_place_of.get(begin) or text[begin:stop]
        shown = piece if exact else piece.strip(WHITE)
        if gap < BLANK and not exact and piece[0] in WHITE:
            gap = BLANK
        if not shown or (not exact and shown.isspace()):
            continue
        if row != in_row or column != in_column or gap == NEW_LINE:
            if out and not is_exact:
                out[-1] = out[-1].rstrip()
            shown = shown if exact else shown.lstrip()
            if row != in_row:
                rest = _rest_of_row(n_cells, in_row, in_column, repeated)
                out.append(rest + ("\n" if out else "") + _up_to(column, -1, repeated.get(row, {})))
            elif column != in_column:
                after_text = " | " if in_column < 0 else " "  # text of the row itself, before its first cell
                out.append(after_text + _up_to(column, in_column, repeated.get(row, {})))
            else:
                out.append(_between_blocks(out, shown, is_cell=row >= 0))
            in_row, in_column = row, column
        elif gap == BLANK or (gap == BORDER and runs_together(out[-1][-1] + shown[0], 1)):
            out.append(" ")
        while ahead and begin >= ahead[-1]:
            ahead.pop()
            places.append(len(out))
        out.append(shown if exact else collapsed(shown))
        gap, is_exact = (BLANK if not exact and piece[-1] in WHITE else NOTHING), exact
    if out and not is_exact:
        out[-1] = out[-1].rstrip()
    out.append(_rest_of_row(n_cells, in_row, in_column, repeated))
    return out, [*places, *[len(out)] * len(ahead)]


def _up_to(column: int, after: int, repeated: Mapping[int, str]) -> str:
    """Return what is written in a row between the text of a column, -1 for its start, and that of a later one."""
    limits = "| " if after >= 0 else ""
    between = (f"{repeated[each]} | " if each in repeated else "| " for each in _shown(after + 1, column, repeated))
    return limits + "".join(between)


def _rest_of_row(n_cells: Sequence[int], row: int, column: int, repeated: Repeated) -> str:
    """Return the end of a row after the text of a column: limits of empty cells, and repeated texts; else nothing."""
    if row < 0:
        return ""
    texts = repeated.get(row, {})
    between = _shown(column + 1, n_cells[row], texts)
    return "".join(f" | {texts[each]}" if each in texts else " |" for each in between)


def _shown(begin: int, end: int, repeated: Mapping[int, str]) -> Sequence[int]:
    """Return the columns from one to another; of very many, those with a repeated text."""
    return (
        range(begin, end) if end - begin <= MOST_COLUMNS else sorted(each for each in repeated if begin <= each < end)
    )


def _between_blocks(out: Sequence[str], text: str, *, is_cell: bool) -> str:
    """Return the separator between the parts that are written and the text of another block."""
    if not out:
        return ""
    if not is_cell:
        return "\n"
    return " " if out[-1][-1] in BEFORE or text[0] in AFTER else "; "
