"""The header rows of tables: among the first two rows, those with the names of the columns.

A row (`Profile.row_tags`) belongs to the nearest element around it that is a table (`Profile.table_tags`); groups of
rows, such as `thead`, may lie between. Empty rows, and those in the foot of a table, do not count. A row with a table
in it is layout, and rows with more than half of the words of their table are content: neither are headers, nor is a
second row after such a first one. Rows of a `thead`, rows of `th` alone, and a first row with a tag of its own are
marked as headers, and no others count beside these; of others nobody knows whether they are content. What names the
columns for readers (`are_titles`) is marked, or a first row of several cells, none of which is marked: a table of two
columns begins with names and values, and so does a row with a `th`.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from engine.arrays import Mask, Rows, places_of, ranges
from engine.index.elements.element_store import Elements
from engine.index.elements.found_in_documents import FoundInDocuments
from engine.records import NamedTuple

# Elements between a row and its table, at most.
MOST_GROUPS = 2
# The group of rows that sum up the others, which may come before these.
FOOT = "tfoot"
# The groups of rows, the rows and the cells by which header rows are marked.
HEADS, CELL = ("thead", "sthead", "prophead", "chhead"), "th"
# Cells of a first row without marks that names the columns, at least.
FEWEST_CELLS = 3
# Header rows of a table, at most, and the share of its words that they have together, at most.
MOST_ROWS = 2
HIGHEST_SHARE = 0.5


class HeaderRows(NamedTuple):
    """Header rows, ascending; columns of shape (n,), and groups of shape (n, MOST_GROUPS).

    ends: one past the last element in each. tables: the table of each; levels: how many elements up it is, inline ones
    not counted. groups: the elements between, -1 for none. are_marked: whether they are marked as headers. are_titles:
    whether they name the columns for readers.
    """

    rows: Rows
    ends: Rows
    tables: Rows
    levels: Rows
    groups: Rows
    are_marked: Mask
    are_titles: Mask

    def where(self, kept: Mask) -> HeaderRows:
        """Return the header rows that a mask selects."""
        rows, ends, tables, levels, groups, *marks = self
        return HeaderRows(rows[kept], ends[kept], tables[kept], levels[kept], groups[kept], *(m[kept] for m in marks))

    def include(self, rows: Rows) -> Mask:
        """Return which elements are header rows or lie in one."""
        return np.append(0, self.ends).take(self.rows.searchsorted(rows, "right")) > rows


NOTHING = np.empty(0, np.int64)
NO_HEADER_ROWS = HeaderRows(
    NOTHING, NOTHING, NOTHING, NOTHING, NOTHING.reshape(0, MOST_GROUPS), NOTHING > 0, NOTHING > 0
)


class HeaderRowStore:
    """The header rows of documents, found on request.

    Args:
        rows, tables: the tags of rows and of tables.
    """

    def __init__(self, elements: Elements, rows: Collection[str], tables: Collection[str]) -> None:
        self._elements = elements
        self._row_tags, self._table_tags = (
            sorted(elements.tag_numbers[tag] for tag in tags if tag in elements.tag_numbers) for tags in (rows, tables)
        )
        self._found: FoundInDocuments[HeaderRows] = FoundInDocuments(elements)

    @property
    def is_empty(self) -> bool:
        """Whether no document can have header rows, by the tags of the index."""
        return not self._row_tags or not self._table_tags

    def of(self, documents: Rows) -> HeaderRows:
        """Return the header rows of at least the given documents (ascending)."""
        return NO_HEADER_ROWS if self.is_empty else self._found.of(documents, self.found_in)

    def found_in(self, documents: Rows) -> HeaderRows:
        """Return the header rows of the given documents (ascending), which are not kept."""
        if self.is_empty:
            return NO_HEADER_ROWS
        elements = self._elements
        is_table = np.zeros(len(elements.tags), np.bool_)
        is_table[self._table_tags] = True
        rows = elements.with_tags(self._row_tags, documents)
        rows = rows.compress((elements.n_words(rows) > 0) & ~elements.is_inline(rows))
        tables = elements.nearest_non_inline(elements.parent(rows))
        groups = np.full((len(rows), MOST_GROUPS), -1)
        for number in range(MOST_GROUPS):
            climbing = places_of(~is_table.take(elements.tag(tables)))
            groups[climbing, number] = tables.take(climbing)
            tables[climbing] = elements.nearest_non_inline(elements.parent(tables.take(climbing)))
        around = np.column_stack([rows, elements.parent(rows), groups])
        tags = np.where(around >= 0, elements.tag(around.clip(0).ravel()).reshape(around.shape), len(elements.tags))
        in_foot, in_head = (
            (np.append(elements.is_tag(names), False)).take(tags).any(axis=1) for names in ([FOOT], HEADS)
        )
        is_row = ~in_foot & is_table.take(elements.tag(tables)) & (tables < rows)
        rows, tables, groups, in_head = (column.compress(is_row, axis=0) for column in (rows, tables, groups, in_head))
        in_head |= self._have_own_tags(rows, tables)
        is_header = self._are_headers(rows, tables, in_head, elements.with_tags(self._table_tags, documents))
        rows, tables, groups, in_head = (
            column.compress(is_header, axis=0) for column in (rows, tables, groups, in_head)
        )
        marks = self._marks(rows, tables, in_head)
        return HeaderRows(rows, elements.end(rows), tables, 1 + (groups >= 0).sum(axis=1), groups, *marks)

    def _marks(self, rows: Rows, tables: Rows, in_head: Mask) -> tuple[Mask, ...]:
        """Return masks of the rows that are marked as headers, and of those that name the columns.

        A single cell of `th` below the first row is the name of a section of the table.
        """
        elements = self._elements
        n_inside = elements.end(rows) - rows - 1
        inside, around = ranges(rows + 1, n_inside), np.arange(len(rows)).repeat(n_inside)
        is_cell = elements.parent(inside) == rows.take(around)
        is_header_cell = is_cell & elements.is_tag([CELL]).take(elements.tag(inside))
        n_cells, n_marked = (
            np.bincount(around.compress(each), minlength=len(rows)) for each in (is_cell, is_header_cell)
        )
        is_first = np.zeros(len(rows), np.bool_)
        is_first[np.unique(tables, return_index=True)[1]] = True
        of_header_cells = (n_cells > 0) & (n_marked == n_cells)
        are_marked = in_head | of_header_cells & (is_first | (n_cells > 1))
        return are_marked, are_marked | is_first & (n_marked == 0) & (n_cells >= FEWEST_CELLS)

    def _have_own_tags(self, rows: Rows, tables: Rows) -> Mask:
        """Return which rows, ascending, are the first of their table, with another tag than the next two."""
        by_table = np.argsort(tables, kind="stable")
        tables, tags = tables.take(by_table), self._elements.tag(rows).take(by_table)
        found = np.zeros(len(rows), np.bool_)
        is_first = np.append(True, tables[1:] != tables[:-1])[: len(rows) - 2]
        is_other = (tags[:-2] != tags[1:-1]) & (tags[1:-1] == tags[2:]) & (tables[:-2] == tables[2:])
        found[by_table[:-2]] = is_first & is_other
        return found

    def _are_headers(self, rows: Rows, tables: Rows, in_head: Mask, all_tables: Rows) -> Mask:
        """Return which rows, ascending, are headers of their tables."""
        elements = self._elements
        by_table = np.argsort(tables, kind="stable")
        rows, tables, in_head = rows.take(by_table), tables.take(by_table), in_head.take(by_table)
        words, firsts = elements.n_words(rows), tables.searchsorted(tables)
        before = np.append(0, words.cumsum())
        is_short = before[1:] - before.take(firsts) <= HIGHEST_SHARE * elements.n_words(tables)
        is_layout = all_tables.searchsorted(rows) < all_tables.searchsorted(elements.end(rows))
        is_header = is_short & ~is_layout
        numbers = np.arange(len(rows)) - firsts
        for number in range(1, MOST_ROWS):
            may_follow = is_header[:-1] & (in_head[1:] | ~in_head[:-1])
            is_header[1:] &= (numbers[1:] != number) | may_follow
        found = np.empty(len(rows), np.bool_)
        found[by_table] = is_header & (numbers < MOST_ROWS)
        return found
