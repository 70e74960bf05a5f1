"""Tables of a vocabulary, by use: rows of equally many cells.

Rule: cells are children of one tag, without others in them, and all that their row has. A table is of rows of equally
many cells, usually three or more, but for a title and notes. It shows that it is one: the cells of the first row have a
tag of their own, a row or a cell has a usual name, or cells are as short as numbers and names; verse is longer.
"""

from __future__ import annotations

import numpy as np

from engine.arrays import Mask, Rows, places_of
from engine.collection.inference.tag_use import TagUse
from engine.collection.inference.title_names import words_of_name
from engine.collection.profiles.profile import LISTS, ROW_GROUPS, ROWS, TABLE_PARTS
from engine.records import NamedTuple

# Cells of a row; rows of a table, and of most tables of a tag, at least.
FEWEST_CELLS, FEWEST_ROWS, USUAL_ROWS = 2, 2, 3
# Words of titles and notes in a table; of a cell on average, where nothing else shows that it is one.
LONGEST_NOTES, SHORT_CELL = 25, 3
# Share of the elements of a tag of which this has to hold, and of its tables with rows enough.
USUAL, MOST = 0.8, 0.5


class Tables(NamedTuple):
    """Tags of tables, of their rows, and of the cells of these, shape (n_tags,)."""

    tables: Mask
    rows: Mask
    cells: Mask


def find_tables(use: TagUse, is_inline: Mask) -> Tables:
    """Return the tags of tables, of rows and of cells.

    Args:
        is_inline: inline tags, which are none of them, shape (n_tags,).
    """
    n = len(use.tag)
    is_block = ~is_inline[use.tag] & ~use.is_root
    n_blocks = np.bincount(use.parent[is_block], minlength=n)
    is_cell = is_block & (n_blocks == 0)
    n_cells, (first_tag, last_tag) = np.bincount(use.parent[is_cell], minlength=n), _range_in(use, is_cell, use.tag)
    is_row = is_block & (n_cells >= FEWEST_CELLS) & (n_cells == n_blocks) & (first_tag == last_tag)
    is_row &= (use.own_words == 0) & (use.words > 0)

    n_rows, (fewest, most) = np.bincount(use.parent[is_row], minlength=n), _range_in(use, is_row, n_cells)
    (head, _), is_later = _range_in(use, is_row, np.arange(n)), is_row.copy()
    is_later[head[n_rows > 0]] = False
    of_later = _range_in(use, is_later, first_tag)
    in_rows = np.bincount(use.parent[is_row], use.words[is_row], n)
    has_head = (of_later[0] == of_later[1]) & (first_tag[head] != of_later[0])
    names = [frozenset(words_of_name(name)[-1:]) for name in use.names]
    is_row_name, is_cell_name = (
        np.array([bool(name & usual) for name in names]) for usual in (ROWS, TABLE_PARTS - ROWS)
    )
    is_named = is_row_name[use.tag[head]] | is_cell_name[first_tag[head]]
    is_short = in_rows <= SHORT_CELL * n_rows * most
    is_table = (n_rows >= FEWEST_ROWS) & (fewest == most) & (is_named | has_head | is_short)
    is_table &= (use.own_words == 0) & (use.words - in_rows <= LONGEST_NOTES)

    has_words = use.words > 0
    tables = (use.share(is_table, has_words & ~use.is_root) >= USUAL) & ~is_inline
    tables &= use.share(n_rows >= USUAL_ROWS, is_table) >= MOST
    tables &= np.array([name not in ROW_GROUPS | LISTS for name in use.names])
    rows = use.share(is_row & is_table[use.parent], has_words) >= USUAL
    cells = use.share(is_cell & (is_row & rows[use.tag])[use.parent], has_words) >= USUAL
    return Tables(tables, rows, cells)


def _range_in(use: TagUse, chosen: Mask, values: Rows) -> tuple[Rows, Rows]:
    """Return the lowest and the highest value of the chosen children of each element; 0 where it has none."""
    places = places_of(chosen)
    lowest, highest = np.full(len(use.tag), np.iinfo(np.int64).max), np.full(len(use.tag), -1)
    np.minimum.at(lowest, use.parent[places], values[places])
    np.maximum.at(highest, use.parent[places], values[places])
    return np.where(highest < 0, 0, lowest), np.maximum(highest, 0)
