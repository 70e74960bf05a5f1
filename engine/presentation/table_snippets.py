"""What a list of answers shows of a table: its header and the rows that say most of the query, few columns of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from engine.arrays import Numbers, distinct, is_among, places_of
from engine.index.elements.table_cells import NOT_A_HEADER, OF_ROW, TableCells
from engine.index.reader import IndexReader
from engine.presentation.snippets import NOTHING, Snippet, extracts, joined, word_borders
from engine.presentation.term_spans import SearchedText, term_spans
from engine.query.query import Query
from engine.query_limits import check_time
from engine.records import NamedTuple

# Rows and columns of a table that are shown, rows of its header, rows and columns that are looked at, characters of a
# cell.
MOST_ROWS, MOST_COLUMNS, MOST_HEADS, MOST_SEARCHED, LONGEST_CELL = 2, 4, 8, 400, 60
# Columns of a table from which on a row whose first cell alone has words is a heading; of few, a value may be missing.
SEVERAL_COLUMNS = 3
# Characters that are read of the rows of a table, and of its cells, an equal share of each.
MOST_READ = 1 << 18
# Of the words of an answer, the share in cells from which on it is a table.
SHARE_IN_CELLS = 0.5


class TableSnippet(NamedTuple):
    """Rows of a table, a text for each column; spans are resolved, so that a wide cell is in each that it covers.

    header: the names of columns, each of one or several texts, and of how many columns in a row; none for a table
        without. rows: the chosen ones. groups: the heading of the group that each row is in, a row above it of one
        cell; empty for none. has_names: whether the first column names the rows. leaves_out: whether the table has more
        columns.
    """

    header: tuple[tuple[tuple[Snippet, ...], int], ...]
    rows: tuple[tuple[Snippet, ...], ...]
    groups: tuple[Snippet, ...]
    has_names: bool
    leaves_out: bool

    def titles(self, breadcrumb: Sequence[str]) -> list[str]:
        """Return the titles above the table, or a row of it, without the header that is shown below them."""
        return [each for each in breadcrumb if not self.header or " | " not in each]

    def is_after(self, other: TableSnippet | None) -> bool:
        """Return whether its rows can stand below those of another one of the same document, under one header."""
        return other is not None and other.header == self.header and other.leaves_out == self.leaves_out

    @property
    def last_row(self) -> str:
        """The last row, after the heading of its group."""
        return " › ".join(filter(None, (self.groups[-1].text, self.lines[-1].text)))

    @property
    def lines(self) -> list[Snippet]:
        """Header, headings of groups and rows, a line each, ` | ` between cells."""
        heads: list[Snippet] = []
        for texts, n_columns in self.header:
            heads += [joined(texts, " › "), *[NOTHING] * (n_columns - 1)]
        more = [Snippet("…", ())] if self.leaves_out else []
        lines = [[*heads, *more]] if heads else []
        for before, group, cells in zip((NOTHING, *self.groups), self.groups, self.rows, strict=False):
            lines += [[group]] if group not in (before, NOTHING) else []
            lines.append([*cells, *more])
        return [joined(line, " | ") for line in lines]


def table_snippets(index: IndexReader, query: Query, documents: Numbers, rows: Numbers) -> list[TableSnippet | None]:
    """Return the best rows of the answers that are tables, or rows of one; None for others.

    Args:
        documents, rows: of the answers, shape (n,).
    """
    found: list[TableSnippet | None] = [None] * len(rows)
    if not len(rows):
        return found
    elements = index.elements
    ends = elements.end(rows)
    here = distinct(documents)
    tags = sorted({elements.tag_numbers[tag] for tag in index.profile.row_tags if tag in elements.tag_numbers})
    of_rows = np.sort(elements.with_tags(tags, here)) if tags else rows[:0]
    could_have = of_rows.searchsorted(ends) > of_rows.searchsorted(rows)
    could_have |= is_among(documents, index.of_unknown_vocabularies(here))
    with_rows = places_of(could_have)
    of_each = documents.take(with_rows)
    for document in distinct(of_each).tolist():  # the cells of one document at a time are in memory
        check_time()
        cells = index.table_cells(document)
        for place in with_rows.compress(of_each == document).tolist():
            found[place] = _of_table(index, query, cells, int(rows[place]), int(ends[place]))
    return found


def _of_table(index: IndexReader, query: Query, cells: TableCells, row: int, end: int) -> TableSnippet | None:
    """Return the best rows of the table in an element, or around it, None where that is mostly other text."""
    elements = index.elements
    begin, stop = cells.cells.searchsorted([row, end]).tolist()
    if begin == stop:
        return None
    words = elements.n_words(np.append(row, cells.cells[begin:stop]))
    if words[1:].sum() < SHARE_IN_CELLS * words[0]:
        return None
    table = cells.tables[begin]  # the first; tables in its cells come later
    of_table = places_of(cells.tables == table)
    inside = (of_table >= begin) & (of_table < stop)
    numbers, headers = cells.numbers.take(of_table), cells.headers.take(of_table)
    in_body = distinct(numbers.compress(inside & (headers == NOT_A_HEADER)))[:MOST_SEARCHED]
    if not in_body.size:
        return None
    texts = _texts(index, cells.rows.take(of_table).take(numbers.searchsorted(in_body)))
    found = term_spans(texts, query, index.analyser)
    filled = places_of(elements.n_words(cells.cells.take(of_table)) > 0)
    full = np.bincount(numbers.take(filled), minlength=in_body[-1] + 1)
    worth = [  # a row of one cell is a heading of others
        (full[at] > 1, len({term for _, _, term in spans})) for at, spans in zip(in_body, found, strict=True)
    ]
    best = sorted(range(len(worth)), key=worth.__getitem__, reverse=True)[:MOST_ROWS]
    chosen = [int(in_body[place]) for place in sorted(best)]
    first = min(int(numbers.compress(headers == NOT_A_HEADER).min()), chosen[0])
    groups = [_heading(cells, of_table.take(filled), first, row) for row in chosen]
    headings = [None if each is None else int(filled[each]) for each in groups]
    return _shown(index, query, cells, of_table, chosen, headings, list(range(max(first - MOST_HEADS, 0), first)))


def _heading(cells: TableCells, filled: Numbers, first: int, row: int) -> int | None:
    """Return which cell is the heading of the group that a row of a table is in, None where it is in none.

    It is the one cell of a row above, and covers all columns; or it is in the first of several.

    Args:
        filled: the cells of the table that have words. first: the first row that is not of its header.
    """
    numbers, columns = cells.numbers.take(filled), cells.columns.take(filled)
    right, below = columns + cells.widths.take(filled), numbers + cells.heights.take(filled)
    n_in_row = np.bincount(numbers, minlength=row + 1)
    is_heading = (columns == 0) & (numbers >= first) & (numbers < row) & (n_in_row.take(numbers) == 1)
    is_heading &= (right == right.max()) | (right.max() >= SEVERAL_COLUMNS)
    for place in places_of(is_heading)[::-1][:MOST_HEADS].tolist() if n_in_row[row] > 1 else ():
        if ((numbers <= numbers[place]) & (below > numbers[place])).sum() == 1:
            return int(place)
    return None


def _shown(
    index: IndexReader,
    query: Query,
    cells: TableCells,
    of_table: Numbers,
    rows: list[int],
    headings: list[int | None],
    above: list[int],
) -> TableSnippet:
    """Return rows of a table below its header, `above`, as texts of those columns that say most of the query.

    Args:
        headings: the cell that is the heading of the group of each row.
    """
    number, column = cells.numbers.take(of_table), cells.columns.take(of_table)
    below, right = number + cells.heights.take(of_table), column + cells.widths.take(of_table)
    grid: dict[tuple[int, int], int] = {}
    last = int(right.max())
    n_columns = min(last, MOST_SEARCHED)
    for at in (*above, *rows):
        for place in places_of((number <= at) & (at < below) & (column < n_columns)).tolist():
            for covered in range(column[place], min(right[place], n_columns)):
                grid.setdefault((at, covered), place)
    used = sorted({*grid.values(), *(each for each in headings if each is not None)})
    texts = _texts(index, cells.cells.take(of_table.take(used)))
    text = dict(zip(used, extracts(texts, query, index.analyser, LONGEST_CELL), strict=True))

    def column_of(at: int, lines: list[int]) -> list[Snippet]:
        return [text[grid[line, at]] if (line, at) in grid else NOTHING for line in lines]

    has_names = any(cells.headers[of_table[grid[line, 0]]] == OF_ROW for line in rows if (line, 0) in grid)
    marks = [sum(len(each.marks) for each in column_of(at, [*above, *rows])) for at in range(n_columns)]
    first = [at for at in range(n_columns) if all(each.text for each in column_of(at, rows))][:1] or [0]
    others = sorted({*range(n_columns)}.difference(first), key=lambda at: (-marks[at], at < first[0], at))
    columns = sorted([*first, *others[: MOST_COLUMNS - 1]])
    heads = [tuple(dict.fromkeys(each for each in column_of(at, above) if each.text)) for at in columns]
    return TableSnippet(
        tuple((texts, len([*same])) for texts, same in groupby(heads)) if any(heads) else (),
        tuple(tuple(column_of(at, [line])[0] for at in columns) for line in rows),
        tuple(NOTHING if each is None else text[each] for each in headings),
        has_names,
        last > len(columns),
    )


def _texts(index: IndexReader, rows: Numbers) -> Sequence[SearchedText]:
    """Return the texts of elements, without what is skipped, of long ones the beginning."""
    spans = index.spans_of(rows)
    spans[:, 1] = np.minimum(spans[:, 1], spans[:, 0] + MOST_READ // len(rows))
    texts = index.text_parts(index.elements.document(rows).tolist(), spans)
    borders = word_borders(index, rows, spans, with_apart=False)
    return [SearchedText(*each[-1].without(text, each[0])) for text, each in zip(texts, borders, strict=True)]
