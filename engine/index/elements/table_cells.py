"""The cells of tables: the columns and rows that each covers, and of what it is a header.

A row (`Profile.row_tags`) belongs to the table (`Profile.table_tags`, or a `tgroup`) whose child it is, or that of a
group of rows; in vocabularies that no profile knows, there are also tables by structure. Cells are children of rows.
They lie where browsers put them: a cell is in the first columns that no cell of a row above covers, or in a later one
that it names (CALS). Cells do not overlap: one that would is narrower; and none is higher than the group of rows that
it is in.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from engine.arrays import ArrayRecord, Mask, Rows, distinct, is_among, places_of
from engine.collection.inference.tables import Tree, regular_tables
from engine.collection.profiles.profile import LAYOUT, Profile
from engine.collection.profiles.profile_files import is_known
from engine.index.elements.element_store import Elements
from engine.index.elements.header_rows import HEADS, MOST_ROWS
from engine.records import NamedTuple, dataclass
from engine.text.utf8 import signs_before

# Inside a table, what has tables of its own (CALS).
GROUP = "tgroup"
HEADER_CELL = "th"
# The role of header cells in TEI.
LABEL = "label"
# Columns that a cell covers, at most, as in HTML, and rows.
WIDEST, HIGHEST = 1000, 65_534
# Steps that placing the cells of a table may take; from then on, every cell counts as one column and one row.
MOST_STEPS = 2_000_000
# What a cell is a header of.
NOT_A_HEADER, OF_COLUMNS, OF_ROW = range(3)
_SCOPES = {"col": OF_COLUMNS, "colgroup": OF_COLUMNS, "row": OF_ROW, "rowgroup": OF_ROW}


@dataclass(frozen=True, eq=False, repr=False)
class TableCells(ArrayRecord):
    """The cells of the tables of a document, ascending; columns of shape (n,).

    cells, rows, tables: the elements that are a cell, its row, its table. numbers: of the row in the table, from 0.
    columns: first column of each, from 0. widths, heights: columns and rows that it covers. headers: NOT_A_HEADER,
    OF_COLUMNS or OF_ROW.
    """

    cells: Rows
    rows: Rows
    tables: Rows
    numbers: Rows
    columns: Rows
    widths: Rows
    heights: Rows
    headers: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.cells)

    def __repr__(self) -> str:
        return f"TableCells({len(self)})"

    def header_rows(self) -> dict[int, tuple[int, ...]]:
        """Return of each table those of its first rows all of whose cells name columns."""
        rows, at = np.unique(self.rows, return_index=True)
        others = distinct(self.rows.compress(self.headers != OF_COLUMNS))
        chosen = ~is_among(rows, others) & (self.numbers.take(at) < MOST_ROWS)
        found: dict[int, tuple[int, ...]] = {}
        for table, row in zip(
            self.tables.take(at).compress(chosen).tolist(), rows.compress(chosen).tolist(), strict=True
        ):
            found[table] = (*found.get(table, ()), row)
        return found


class Cell(NamedTuple):
    """A cell before it has a place: its number, columns and rows that it asks for, first column, -1 for the next."""

    number: int
    width: int
    height: int
    first: int


def _regular_rows(
    elements: Elements, document: int, profile: Profile, text: Callable[[], str], spans_of: Callable[[Rows], Rows]
) -> tuple[Rows, Rows]:
    """Return the rows of tables by structure, ascending, and those of them that name columns."""
    here = np.array([document])
    first, end = int(elements.root(here)[0]), int(elements.document_end(here)[0])
    rows = np.arange(first, end)
    numbers, tags = np.unique(elements.tag(rows), return_inverse=True)
    are_blocks = ~elements.is_inline(rows)
    are_blocks[0] = False
    names = [elements.tags[number] for number in numbers.tolist()]
    parents, words, have_text = elements.parent(rows) - first, elements.n_words(rows), elements.n_own_words(rows) > 0
    found, heads = regular_tables(Tree(names, tags, parents, are_blocks, words, have_text), profile.records)
    if found.rows.any():  # of these it is known, too, whether nothing but a mark stands between their cells
        before = signs_before(text())
        places, cells = places_of(found.rows), places_of(found.cells)
        of_rows, of_cells = (before.take(spans_of(each + first)) @ (-1, 1) for each in (places, cells))
        in_cells = np.bincount(parents.take(cells), of_cells, len(rows)).take(places)
        have_text[places] = of_rows > in_cells
        found, heads = regular_tables(Tree(names, tags, parents, are_blocks, words, have_text), profile.records)
    return places_of(found.rows) + first, places_of(heads) + first


def table_cells(
    elements: Elements,
    document: int,
    profile: Profile,
    titles: Rows,
    text: Callable[[], str],
    spans_of: Callable[[Rows], Rows],
) -> TableCells:
    """Return the cells of the tables of a document.

    Args:
        titles: the rows that name the columns of tables (`HeaderRows.are_titles`), ascending. text: returns
            that of the document; spans_of: start and end of elements in it, shape (n, 2).
    """
    nothing = np.empty(0, np.int64)
    none = TableCells(nothing, nothing, nothing, nothing, nothing, nothing, nothing, nothing.astype(np.uint8))
    is_row, is_table = elements.is_tag(profile.row_tags), elements.is_tag(profile.table_tags | {GROUP})
    regular = titles[:0]
    if not is_known(profile):
        regular, naming = _regular_rows(elements, document, profile, text, spans_of)
        titles = distinct(np.concatenate([titles, naming]))
    if not regular.size and not (is_row.any() and is_table.any()):
        return none
    rows = elements.with_tags(places_of(is_row).tolist(), np.array([document])) if is_row.any() else regular
    rows = distinct(np.concatenate([rows.compress(~elements.is_inline(rows)), regular]))
    groups = elements.nearest_non_inline(elements.parent(rows))
    is_group = elements.is_tag(profile.row_group_tags - {GROUP}).take(elements.tag(groups))
    tables = np.where(is_group, elements.nearest_non_inline(elements.parent(groups)), groups)
    is_placed = (is_table.take(elements.tag(tables)) | is_among(rows, regular)) & (tables < rows)
    rows, groups, tables = (column.compress(is_placed) for column in (rows, groups, tables))
    if not rows.size:
        return none
    inside = np.arange(int(rows[0]), int(elements.end(rows).max()))
    inside = inside.compress(~elements.is_inline(inside))
    parents = elements.nearest_non_inline(elements.parent(inside))
    is_cell = is_among(parents, rows) & (inside != parents)
    cells, of_row = inside.compress(is_cell), parents.compress(is_cell)
    at_row = rows.searchsorted(of_row)
    given = _given(elements, document)
    numbers = _ordinals(tables)
    columns, widths, heights = _ordinals(of_row), np.ones(len(cells), np.int64), np.ones(len(cells), np.int64)
    spanning = is_among(cells, np.array(sorted(given), np.int64))
    is_spanned = is_among(tables, distinct(tables.take(at_row.compress(spanning))))
    if is_spanned.any():
        named = _named_columns(elements, set(tables.compress(is_spanned).tolist()), int(inside[-1]), given)
        by_row = np.argsort(at_row, kind="stable")
        edges = at_row.take(by_row).searchsorted(np.arange(len(rows) + 1)).tolist()
        in_order, every = by_row.tolist(), cells.tolist()
        by_table: dict[int, list[int]] = {}
        for row in places_of(is_spanned).tolist():
            by_table.setdefault(int(tables[row]), []).append(row)
        for table, lines in by_table.items():
            names = named.get(table, {})
            asked = []
            for row in lines:
                in_row = in_order[slice(*edges[row : row + 2])]
                asked.append((int(groups[row]), [_asked(at, given.get(every[at], {}), names) for at in in_row]))
            for at, *place in placed(asked):
                columns[at], widths[at], heights[at] = place
        of_cells = tables.take(at_row)
        for table in distinct(of_cells.compress(widths > 1)).tolist():
            inside = places_of(of_cells == table)
            columns[inside], widths[inside] = _begun_columns(columns.take(inside), widths.take(inside))
    heads, header_cells = elements.is_tag(HEADS), elements.is_tag((HEADER_CELL,))
    in_head = heads.take(elements.tag(groups)) | heads.take(elements.tag(rows)) | is_among(rows, titles)
    headers = _headers(header_cells.take(elements.tag(cells)), cells, of_row, in_head.take(at_row), given)
    return TableCells(cells, of_row, tables.take(at_row), numbers.take(at_row), columns, widths, heights, headers)


def _ordinals(values: Rows) -> Rows:
    """Return the number of each place among those with the same value, from 0."""
    order = np.argsort(values, kind="stable")
    ascending = values.take(order)
    found = np.empty(len(values), np.int64)
    found[order] = np.arange(len(values)) - ascending.searchsorted(ascending)
    return found


def _begun_columns(columns: Rows, widths: Rows) -> tuple[Rows, Rows]:
    """Return first columns and widths of the cells of a table without the columns in which no cell begins."""
    begun = distinct(columns)
    first = begun.searchsorted(columns)
    return first, begun.searchsorted(columns + widths) - first


def _given(elements: Elements, document: int) -> dict[int, dict[str, str]]:
    """Return the attributes of layout by element."""
    found: dict[int, dict[str, str]] = {}
    for name in sorted(LAYOUT.intersection(elements.attribute_names)):
        rows, values = elements.attributes([name], np.array([document]))
        for row, value in zip(rows.tolist(), values, strict=True):
            found.setdefault(row, {})[name] = value.strip()
    return found


def _number(text: str | None, most: int, otherwise: int = 1) -> int:
    """Return a whole number, at most the given one, from text that may be anything."""
    if text is None or not text.isascii() or not text.isdigit():
        return otherwise
    return min(int(text[:9]), most)


# Of a table, the first and the last column by the name of a column or a span.
Columns = Mapping[str, tuple[int, int]]


def _named_columns(
    elements: Elements, tables: Collection[int], last: int, given: Mapping[int, Mapping[str, str]]
) -> dict[int, dict[str, tuple[int, int]]]:
    """Return the named columns of each table, where there are any (`colspec`, `spanspec`); last: element of a table."""
    is_named = elements.is_tag(("colspec", "spanspec"))
    found: dict[int, dict[str, tuple[int, int]]] = {}
    if not is_named.any():
        return found
    specs = np.arange(min(tables), last + 1)
    specs = specs.compress(is_named.take(elements.tag(specs)))
    reached: dict[int, int] = {}
    parents = elements.parent(specs)
    grandparents = elements.parent(parents)
    columns = specs.tolist(), elements.tag(specs).tolist(), parents.tolist(), grandparents.tolist()
    for spec, tag, parent, grandparent in zip(*columns, strict=True):
        table = parent if parent in tables else grandparent
        named, attributes = found.setdefault(table, {}), given.get(spec, {})
        if elements.tags[tag] == "spanspec":
            begin, end = (named.get(attributes.get(name, ""), (-1, -1)) for name in ("namest", "nameend"))
            if 0 <= begin[0] <= end[1]:
                named[attributes.get("spanname", "")] = begin[0], end[1]
            continue
        in_head = parent not in tables
        number = _number(attributes.get("colnum"), WIDEST, (0 if in_head else reached.get(table, 0)) + 1) - 1
        if not in_head:
            reached[table] = number + 1
        if number >= 0 and attributes.get("colname"):
            named[attributes["colname"]] = number, number
    return found


def _asked(number: int, given: Mapping[str, str], named: Columns) -> Cell:
    """Return the place that a cell asks for."""
    if not given:
        return Cell(number, 1, 1, -1)
    width = _number(given.get("colspan", given.get("columnspan", given.get("cols"))), WIDEST)
    height = _number(given.get("rowspan", given.get("rows")), HIGHEST)
    if "morerows" in given:
        height = _number(given["morerows"], HIGHEST, 0) + 1
    elif height == 0:  # to the end of the group
        height = HIGHEST
    first = -1
    if span := named.get(given.get("spanname", "")):
        first, width = span[0], span[1] - span[0] + 1
    elif begin := named.get(given.get("namest", "")):
        end = named.get(given.get("nameend", ""), begin)
        first, width = begin[0], max(end[1] - begin[0], 0) + 1
    elif begin := named.get(given.get("colname", "")):
        first = begin[0]
    return Cell(number, min(max(width, 1), WIDEST), height, first)


def placed(lines: list[tuple[int, list[Cell]]]) -> Iterator[tuple[int, int, int, int]]:
    """Yield each cell of a table with its first column, and the columns and rows that it covers.

    Args:
        lines: the rows, each with the number of its group; rows of one group follow each other.
    """
    left = MOST_STEPS
    for _, of_group in groupby(lines, key=lambda line: line[0]):
        group = [cells for _, cells in of_group]
        covered: list[tuple[int, int, int]] = []  # from column to column, up to row; ascending
        for number, cells in enumerate(group):
            covered = [each for each in covered if each[2] > number]
            left -= len(covered) + len(cells)
            if left < 0:
                covered = []
            column, at, new = 0, 0, []
            for cell, wide, high, first in cells:
                column = max(column, first if left >= 0 else -1)
                while at < len(covered) and covered[at][0] <= column:
                    column = max(column, covered[at][1])
                    at += 1
                free = covered[at][0] - column if at < len(covered) else wide
                width, height = (min(wide, free), min(high, len(group) - number)) if left >= 0 else (1, 1)
                if height > 1:
                    new.append((column, column + width, number + height))
                yield cell, column, width, height
                column += wide if left >= 0 else 1
            if new:
                covered = sorted([*covered, *new])


def _headers(
    are_header_cells: Mask, cells: Rows, rows: Rows, in_head: Mask, given: Mapping[int, Mapping[str, str]]
) -> NDArray[np.uint8]:
    """Return of what each cell is a header.

    A header cell outside the head of its table is that of its row, unless all cells of this are header cells.
    """
    labels = np.array(sorted(each for each, attributes in given.items() if attributes.get("role") == LABEL), np.int64)
    are_headers = are_header_cells | is_among(cells, labels) | is_among(rows, labels)
    found = np.where(in_head, OF_COLUMNS, np.where(are_headers, OF_ROW, NOT_A_HEADER)).astype(np.uint8)
    for kind in (OF_COLUMNS, OF_ROW):
        scoped = sorted(each for each, attributes in given.items() if _SCOPES.get(attributes.get("scope", "")) == kind)
        found[is_among(cells, np.array(scoped, np.int64))] = kind
    _, of_row, n_cells = np.unique(rows, return_inverse=True, return_counts=True)
    of_rows = np.bincount(of_row, found == OF_ROW)
    found[((n_cells > 1) & (of_rows == n_cells)).take(of_row)] = OF_COLUMNS
    return found
