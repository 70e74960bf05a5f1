"""Tables in vocabularies that no profile knows, by structure: the elements of one document, and tags by their use.

Rule: cells contain no blocks, a row contains nothing but cells, and these have one tag unless the row is a record. A
table contains two or more rows of equally many cells, and at most a title and notes beside them. Its rows have the same
tags; the first of three or more may have others. One more sign is needed: a first row of other tags, a usual name of a
row or a cell, or cells as short as numbers and names, which lines of verse are not.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from engine.arrays import Mask, Rows, places_of
from engine.collection.inference.title_names import words_of_name
from engine.collection.profiles.profile import LISTS, ROW_GROUPS, ROWS, TABLE_PARTS
from engine.records import NamedTuple

if TYPE_CHECKING:
    from engine.collection.inference.tag_use import TagUse

# Cells of a row; rows of a table, and of one with a header or of most tables of a tag, at least; cells of a first row
# of the same tags as the others that names the columns.
FEWEST_CELLS, FEWEST_ROWS, USUAL_ROWS, FEWEST_HEADS = 2, 2, 3, 3
# Words of titles and notes in a table; of a cell on average, where the first row has another tag, and where nothing
# else shows that it is one.
LONGEST_NOTES, LONGEST_CELL, SHORT_CELL = 25, 12, 4
# Share of the words of a table that a first row of the same tags as the others has, at most, if it names the columns.
HIGHEST_SHARE = 0.5
# Share of the elements of a tag of which this has to hold, and of its tables with rows enough.
USUAL, MOST = 0.8, 0.5


class Tree(NamedTuple):
    """Elements in document order, with the names of their tags; columns of shape (n,).

    are_blocks: which are neither inline nor roots. have_text: which have text of their own.
    """

    names: Sequence[str]
    tags: Rows
    parents: Rows
    are_blocks: Mask
    words: Rows
    have_text: Mask


class Tables(NamedTuple):
    """Which elements, or tags, are tables, rows of these, cells of these, and captions before the rows."""

    tables: Mask
    rows: Mask
    cells: Mask
    captions: Mask


def regular_tables(tree: Tree, records: Collection[str] = ()) -> tuple[Tables, Mask]:
    """Return which elements are tables, rows, cells and captions, and which rows name the columns.

    Args:
        records: tags of records, whose fields have tags of their own.
    """
    names, tags, parents, are_blocks, words, have_text = tree
    n = len(tags)
    n_blocks = np.bincount(parents[are_blocks], minlength=n)
    is_cell = are_blocks & (n_blocks == 0)
    n_cells, (low, high) = np.bincount(parents[is_cell], minlength=n), _range_in(parents, is_cell, tags)
    is_record = np.array([name in records for name in names], np.bool_).take(tags)
    is_row = are_blocks & (n_cells >= FEWEST_CELLS) & (n_cells == n_blocks) & ((low == high) | is_record)
    is_row &= ~have_text & (words > 0)
    is_cell &= is_row[parents]
    of_cells = np.bincount(parents[is_cell], (tags[is_cell] + 1.0) ** 2, n).astype(np.int64)
    kinds = np.where(is_row, of_cells * len(names) + tags, 0)  # of a row: its tag, those of its cells in any order

    n_rows, (fewest, most) = np.bincount(parents[is_row], minlength=n), _range_in(parents, is_row, n_cells)
    head, is_later = _range_in(parents, is_row, np.arange(n))[0], is_row.copy()
    is_later[head[n_rows > 0]] = False
    of_later = _range_in(parents, is_later, kinds)
    in_rows = np.bincount(parents[is_row], words[is_row], n)
    has_head = kinds[head] != of_later[0]
    has_header_cells = has_head & ~is_record[head] & (low[head] != _range_in(parents, is_later, low)[0])
    ends = [frozenset(words_of_name(name)[-1:]) for name in names]
    is_row_name, is_cell_name = (np.array([bool(end & usual) for end in ends]) for usual in (ROWS, TABLE_PARTS - ROWS))
    is_sure = is_row_name[tags[head]] | is_cell_name[low[head]] | has_header_cells
    is_short = in_rows <= np.where(has_head, LONGEST_CELL, SHORT_CELL) * n_rows * most
    are_alike = (of_later[0] == of_later[1]) & (~has_head | (n_rows >= USUAL_ROWS))
    is_table = (n_rows >= FEWEST_ROWS) & (fewest == most) & are_alike & (is_sure | is_short)
    is_table &= ~have_text & (words - in_rows <= LONGEST_NOTES)
    is_table &= np.array([name not in ROW_GROUPS | LISTS for name in names], np.bool_).take(tags)
    is_row &= is_table[parents]
    names_columns = ~is_record[head] & (most >= FEWEST_HEADS) & (n_rows >= USUAL_ROWS)
    names_columns &= words[head] <= HIGHEST_SHARE * in_rows
    is_head = np.zeros(n, np.bool_)
    is_head[head[is_table & (has_head | names_columns)]] = True
    is_caption = are_blocks & is_table[parents] & (np.arange(n) < head[parents]) & (words > 0)
    return Tables(is_table, is_row, is_cell & is_row[parents], is_caption), is_head


def find_tables(use: TagUse, is_inline: Mask) -> Tables:
    """Return the tags of tables, of rows, of cells and of captions; a whole document is no table, but has records.

    Args:
        is_inline: inline tags, which are none of them, shape (n_tags,).
    """
    are_blocks = ~is_inline[use.tag] & ~use.is_root
    found, _ = regular_tables(Tree(use.names, use.tag, use.parent, are_blocks, use.words, use.has_own_text))
    has_words = use.words > 0
    tables = (use.share(found.tables, has_words & ~use.is_root) >= USUAL) & ~is_inline
    n_rows = np.bincount(use.parent[found.rows], minlength=len(use.tag))
    tables &= use.share(n_rows >= USUAL_ROWS, found.tables) >= MOST
    in_root = use.is_root[use.parent]
    in_root |= in_root[use.parent] & found.cells
    parts = (use.share(each & ~in_root, has_words) >= USUAL for each in found[1:])
    return Tables(tables, *parts)


def _range_in(parents: Rows, chosen: Mask, values: Rows) -> tuple[Rows, Rows]:
    """Return the lowest and the highest value of the chosen children of each element; 0 where it has none."""
    places = places_of(chosen)
    lowest, highest = np.full(len(parents), np.iinfo(np.int64).max), np.full(len(parents), -1)
    np.minimum.at(lowest, parents[places], values[places])
    np.maximum.at(highest, parents[places], values[places])
    return np.where(highest < 0, 0, lowest), np.maximum(highest, 0)
