"""Tables of a vocabulary that names none: rows of equally many short cells, under one element."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from engine.arrays import distinct, is_among
from engine.collection.profiles.profile import LISTS
from engine.index.elements.table_cells import NOT_A_HEADER, OF_COLUMNS, TableCells
from foxir.service.pages.document_view import DocumentView

# Words of a cell, on average, at most: where the first row has other tags than the rest, and where all are alike.
LONGEST, LONGEST_ALIKE = 12, 4


def tables_of(view: DocumentView) -> TableCells:
    """Return and remember the cells of the tables of a document; in an unknown vocabulary, first those by structure."""
    if not view.tables:
        view.tables.append(_tables(view))
    return view.tables[0]


def _tables(view: DocumentView) -> TableCells:
    named = view.reader.table_cells(view.number)
    if view.is_known:
        return named
    regular = _regular_tables(view)
    is_other = ~is_among(named.tables, distinct(regular.tables))
    both = [
        np.concatenate([of_regular, of_named.compress(is_other)])
        for of_regular, of_named in zip(vars(regular).values(), vars(named).values(), strict=True)
    ]
    return TableCells(*(column.take(np.argsort(both[0])) for column in both))


def _regular_tables(view: DocumentView) -> TableCells:
    """Return the cells of tables by structure.

    All rows but the first have the same tag and cells, these of one tag unless the row is a record; cells are without
    blocks, with nothing between them, and one short element may stand before the rows. A first row of other tags names
    the columns. A list by its name is none.
    """
    inside: list[list[int]] = [[] for _ in range(len(view))]
    for place in range(1, len(view)):
        if not view.is_inline[place]:
            inside[view.parents[place]].append(place)
    found: list[tuple[int, ...]] = []
    for table, children in enumerate(inside):
        rows = children[1:] if children and not inside[children[0]] else children
        if len(rows) < 2 or not _is_regular(view, inside, table, rows):
            continue
        has_header = _tags(view, inside, rows[0]) != _tags(view, inside, rows[1])
        for number, row in enumerate(rows):
            header = OF_COLUMNS if has_header and not number else NOT_A_HEADER
            found += ((cell, row, table, number, column, header) for column, cell in enumerate(inside[row]))
    cells, rows_of, tables, numbers, columns, headers = np.array(sorted(found), np.int64).reshape(-1, 6).T
    first, one = view.first_row, np.ones(len(found), np.int64)
    places = cells + first, rows_of + first, tables + first
    return TableCells(*places, numbers, columns, one, one, headers.astype(np.uint8))


def _tags(view: DocumentView, inside: Sequence[Sequence[int]], row: int) -> list[str]:
    """Return the tag of a row and those of its cells."""
    return [view.tags[place] for place in (row, *inside[row])]


def _is_regular(view: DocumentView, inside: Sequence[Sequence[int]], table: int, rows: Sequence[int]) -> bool:
    """Return whether elements are the rows of a table; they are all children of it but the first."""
    first, second = _tags(view, inside, rows[0]), _tags(view, inside, rows[1])
    if len(first) < 3 or len(first) != len(second) or view.own_words[table] or view.tags[table] in LISTS:
        return False
    is_record = second[0] in view.profile.records
    if not is_record and (len({*first[1:]}) > 1 or len({*second[1:]}) > 1):
        return False
    cells = [cell for row in rows for cell in inside[row]]
    longest = LONGEST_ALIKE if first == second else LONGEST
    return (
        all(_tags(view, inside, row) == second for row in rows[2:])
        and not any(view.own_words[row] for row in rows)
        and not any(inside[cell] for cell in cells)
        and not any(_is_marked(view, inside[row]) for row in rows)
        and sum(view.words[row] for row in rows) <= longest * len(cells)
    )


def _is_marked(view: DocumentView, cells: Sequence[int]) -> bool:
    """Return whether anything but blanks, such as a punctuation mark, stands between the elements of a line."""
    return any(view.text[view.stops[one] : view.starts[other]].strip() for one, other in pairwise(cells))
