"""The tables in the text of a document: which elements are rows, groups of rows and cells, and the tags of cells.

Browsers move text that is not in a cell out of its table; so what a source has there is put into one. A cell that does
not begin where a browser would put it has empty ones before it.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from engine.index.elements.table_cells import NOT_A_HEADER, OF_COLUMNS
from foxir.service.pages.document_view import DocumentPart, DocumentView

TABLE, GROUP, ROW, CELL, CAPTION = "table", "rowgroup", "row", "cell", "caption"
_GROUP_TAGS = {"thead": "thead", "tfoot": "tfoot"}
CAPTIONS = frozenset(("caption", "title", "head"))
# Tables inside cells that are drawn as tables, each inside the one before; browsers limit how deep elements are nested.
DEEPEST = 12


class Tables:
    """The tables of a document as a part of it shows them; places are those of the view."""

    def __init__(self, view: DocumentView, part: DocumentPart) -> None:
        self._view, self._part = view, part
        found = view.reader.table_cells(view.number)
        first = view.first_row
        self._at = dict(zip((found.cells - first).tolist(), range(len(found)), strict=True))
        self._columns = [each.tolist() for each in (found.columns, found.widths, found.heights, found.headers)]
        self._rows, self._of_table = (found.rows - first).tolist(), (found.tables - first).tolist()
        widths: dict[int, int] = {}
        ends = (found.columns + found.widths).tolist()
        for table, end in zip(self._of_table, ends, strict=True):
            widths[table] = max(widths.get(table, 1), end)
        tables = {table: width for table, width in widths.items() if self._depth(table, widths) < DEEPEST}
        self.widths = tables
        rows = {row for row, table in zip(self._rows, self._of_table, strict=True) if table in tables}
        self._kinds = dict.fromkeys(tables, TABLE)
        for row in rows:
            self._kinds[row] = ROW
            if (parent := self._parent(row)) not in tables:
                self._kinds[parent] = GROUP
        for cell, table in zip(self._at, self._of_table, strict=True):
            if table in tables:
                self._kinds[cell] = CELL
        self._has_caption: set[int] = set()

    def _parent(self, place: int) -> int:
        """Return the nearest element around one that is not inline."""
        parent = self._view.parents[place]
        while parent and self._view.is_inline[parent]:
            parent = self._view.parents[parent]
        return parent

    def _depth(self, table: int, tables: dict[int, int]) -> int:
        """Return how many tables are around one."""
        depth, place = 0, table
        while place and depth <= DEEPEST:
            place = self._view.parents[place]
            depth += place in tables
        return depth

    def kind(self, place: int) -> str:
        """Return what an element is of a table, "" for nothing; a table in place of a cell is a cell."""
        return self._kinds.get(place, "")

    def is_table(self, place: int) -> bool:
        """Return whether rows of a table are in an element."""
        return place in self.widths

    def around(self, place: int, kind: str, parent: int) -> tuple[str, str]:
        """Return the tags that an element must have around it in a part of a table; none outside, or in place of it."""
        above = self._kinds.get(parent, "") if not self.is_table(parent) else TABLE
        if above not in (TABLE, GROUP, ROW) or (
            kind in {TABLE: (GROUP, ROW), GROUP: (ROW,), ROW: (CELL,)}[above] and self._parent(place) == parent
        ):
            return "", ""
        is_caption = self._view.tags[place] in CAPTIONS or (place == parent + 1 and not self._view.is_known)
        if above == TABLE and is_caption and parent not in self._has_caption:
            self._has_caption.add(parent)
            return "<caption>", "</caption>"
        return self.stray(parent)

    def stray(self, place: int) -> tuple[str, str]:
        """Return the tags of a cell for what lies in a table, a group of rows or a row outside of cells."""
        if self.kind(place) == ROW:
            return '<td class="stray">', "</td>"
        table = place if self.is_table(place) else self._parent(place)
        opening = f'<tr><td class="stray" colspan="{min(self.widths.get(table, 1), 1000)}">'
        return (f"<tbody>{opening}", "</td></tr></tbody>") if table == place else (opening, "</td></tr>")

    def holds_no_text(self, place: int) -> bool:
        """Return whether text directly in an element would be moved by a browser."""
        return self.is_table(place) or self.kind(place) in (GROUP, ROW)

    def group_tag(self, place: int) -> str:
        """Return the tag of a group of rows."""
        return _GROUP_TAGS.get(self._view.tags[place], "tbody")

    def cell(self, place: int) -> tuple[str, str]:
        """Return the opening tag of a cell without its end, after the empty cells before it, and its name."""
        _, width, height, header = (each[self._at[place]] for each in self._columns)
        if not self._view.text[self._view.starts[place] : self._view.stops[place]].strip():  # names nothing
            header = NOT_A_HEADER
        name = "td" if header == NOT_A_HEADER else "th"
        attributes = ""
        if header != NOT_A_HEADER:
            span = width if header == OF_COLUMNS else height
            attributes = f' scope="{"col" if header == OF_COLUMNS else "row"}{"group" if span > 1 else ""}"'
        attributes += f' colspan="{width}"' if width > 1 else ""
        attributes += f' rowspan="{height}"' if height > 1 else ""
        return '<td class="none"></td>' * self._fillers.get(place, 0) + f"<{name}{attributes}", name

    @cached_property
    def _fillers(self) -> dict[int, int]:
        """Empty cells before each cell that a browser would else put into another column."""
        fillers: dict[int, int] = {}
        cells = np.array(list(self._at), np.int64)
        chosen = (cells >= self._part.first) & (cells < self._part.end)
        covered: dict[int, list[tuple[int, int, int]]] = {}  # of each table
        at_row: dict[int, tuple[int, int]] = {}  # of each table, number of the row in its group, next column
        last: dict[int, int] = {}
        of_rows: dict[int, list[tuple[int, int]]] = {}
        for place in np.flatnonzero(chosen).tolist():
            table, row = self._of_table[place], self._rows[place]
            if last.get(table) != row:
                group = self._parent(row)
                before = last.get(table)
                is_new = before is None or self._parent(before) != group
                number = 0 if is_new else at_row[table][0] + 1
                spans = [] if is_new else covered.get(table, [])
                covered[table] = sorted(each for each in (*spans, *of_rows.pop(table, ())) if each[2] > number)
                at_row[table], last[table] = (number, 0), row
            number, column = at_row[table]
            wanted, width, height, _ = (each[place] for each in self._columns)
            free = _free(covered[table], column, wanted)
            if free:
                fillers[int(cells[place])] = free
            if height > 1:
                of_rows.setdefault(table, []).append((wanted, wanted + width, number + height))  # type: ignore[arg-type]
            at_row[table] = number, wanted + width
        return fillers


def _free(covered: list[tuple[int, int, int]], begin: int, end: int) -> int:
    """Return how many columns from one to another no cell of a row above covers."""
    if begin >= end:
        return 0
    return end - begin - sum(max(0, min(end, stop) - max(begin, start)) for start, stop, _ in covered)
