"""The columns of the elements of an open index, across its segments: the tree, words and sentences.

Rows are numbered through all segments; methods take and return rows of any of them, so callers need not know segments.

Elements are found by their tags, too. Lookups of a tag scan the requested documents; once these had as many elements as
there are (`Demand`), all are scanned and the rows cached: at most four bytes per element of the segment and eight per
document and tag. In a large segment nothing is cached.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Rows, distinct, places_of, ranges
from engine.index.segment import Segment
from engine.query_limits import check_time

# Elements of the largest segment, or index, of which all are searched at once.
MOST_CACHED = 2**25
# What a search in some documents takes beside that in their elements, in elements.
A_SEARCH = 2**15


class Demand:
    """How many elements were searched for something, a few documents at a time.

    A program that asks one question needs a few documents, a service sooner or later all. So once these had as many
    elements as there are, all are searched and what is found is kept: in all, that is at most twice the work.
    """

    def __init__(self, n_elements: int) -> None:
        self._left = n_elements if n_elements <= MOST_CACHED else math.inf

    def is_for_all(self, n_elements: int) -> bool:
        """Return whether all elements are better searched than so many once more."""
        self._left -= n_elements + A_SEARCH
        return self._left < 0


class TagRows:
    """Elements of one segment by tag; tags, documents and rows are numbered within the segment."""

    def __init__(self, segment: Segment) -> None:
        self._segment = segment
        self._cached: dict[int, tuple[NDArray[np.int32], Rows]] = {}
        self._demand: dict[int, Demand] = {}

    def rows(self, tag: int, documents: Rows) -> Rows:
        """Return the elements of a tag in the documents (ascending), ascending."""
        first_row = self._segment.first_row
        if tag not in self._cached:
            first, last = first_row[documents], first_row[documents + 1]
            demand = self._demand.setdefault(tag, Demand(self._segment.n_elements))
            if not demand.is_for_all(int((last - first).sum())):
                return self._scan(tag, first, last)
            found = np.flatnonzero(self._segment.elements.column("tag").all() == tag)
            self._cached[tag] = found.astype(np.int32), np.searchsorted(found, first_row)
        cached, borders = self._cached[tag]
        begins = borders.take(documents)
        return cached.take(ranges(begins, borders.take(documents + 1) - begins)).astype(np.int64)

    def _scan(self, tag: int, first: Rows, last: Rows) -> Rows:
        """Return the elements of a tag in documents with rows from first to last (exclusive)."""
        values = np.concatenate(self._segment.elements.column("tag").slices(first, last))
        places = np.flatnonzero(values == tag)
        begins = np.cumsum(last - first) - (last - first)
        counts = np.diff(np.searchsorted(places, begins), append=len(places))
        rows: Rows = places + np.repeat(first - begins, counts)
        return rows


class ElementColumns:
    """Columns of all elements; every argument and result is an int64 array."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._segments = segments
        self.row_base = np.concatenate([[0], np.cumsum([s.n_elements for s in segments])]).astype(np.int64)
        self.document_base = np.concatenate([[0], np.cumsum([s.n_documents for s in segments])]).astype(np.int64)
        self.word_base = np.concatenate([[0], np.cumsum([s.n_words for s in segments])]).astype(np.int64)
        self._checked_tables: dict[int, tuple[Any, ...]] = {}
        self.tags = sorted({tag for segment in segments for tag in segment.tags})
        self.tag_numbers = {tag: number for number, tag in enumerate(self.tags)}
        self.tag_numbers_of_segments = [np.array([self.tag_numbers[tag] for tag in s.tags], np.int64) for s in segments]

    def tag(self, rows: Rows) -> Rows:
        """Return the tag numbers, into `tags`."""
        numbers = self.tag_numbers_of_segments
        return self._each(rows, lambda number, local: numbers[number][self._column(number, "tag", local)])

    def parent(self, rows: Rows) -> Rows:
        """Return the parents' rows; a root is its own parent."""
        up: Rows = self._each(rows, lambda number, local: self._segments[number].parents.take(local))
        return rows - up

    @property
    def parent_distances(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]] | None:
        """The distance from each element back to its parent, of an index of one checked segment; for a kernel."""
        return self._segments[0].parents.whole if len(self._segments) == 1 else None

    def end(self, rows: Rows) -> Rows:
        """Return one past the last row of each subtree."""
        extent: Rows = self._each(rows, lambda number, local: self._segments[number].extents.take(local))
        return rows + extent

    def table(self, documents: Rows) -> list[tuple[Any, ...]]:
        """Return the element table of each segment with one of the documents (ascending), after a check of these.

        For kernels: the first row of the segment, the numbers of its tags, then columns: tags, kinds, and three
        each (`ByteColumn.files`) of the distances to parents, the rows of subtrees and the words of these.
        """
        return [
            self._checked_tables.get(number) or self._table(number, local)
            for number, local in self._by_segment(documents)
        ]

    def _table(self, number: int, documents: Rows) -> tuple[Any, ...]:
        """Return the table of a segment, after a check of some of its documents; kept once all blocks are checked."""
        segment = self._segments[number]
        rows = segment.first_row.take(documents), segment.first_row.take(documents + 1)
        plain = segment.elements.column("tag"), segment.kinds
        small = segment.parents, segment.extents, segment.subtree_words
        for column in plain:
            column.check_ranges(*rows)
        columns = [*(column.values for column in plain), *chain.from_iterable(each.checked(*rows) for each in small)]
        table = int(self.row_base[number]), self.tag_numbers_of_segments[number], *columns
        if not any(column.has_unchecked for column in plain) and all(each.whole for each in small):
            self._checked_tables[number] = table
        return table

    def depth(self, rows: Rows) -> Rows:
        """Return the number of steps of each path."""
        return self._each(rows, lambda number, local: self._column(number, "depth", local))

    def ordinal(self, rows: Rows) -> Rows:
        """Return the positions among siblings of the same name, from 1."""
        return self._each(rows, lambda number, local: self._column(number, "ordinal", local))

    def first_word(self, rows: Rows) -> Rows:
        """Return the number of each element's first word; its words are `n_words` numbers from there on.

        Words are numbered leaf by leaf, in a leaf in the order of its own text. Stop words count, the words of elements
        that the profile skips do not.
        """
        return self._each(rows, lambda number, local: self._segments[number].words.take(local) + self.word_base[number])

    def n_words(self, rows: Rows) -> Rows:
        """Return the number of words in each subtree, stop words included."""
        return self._each(rows, lambda number, local: self._segments[number].subtree_words.take(local))

    def kinds(self, rows: Rows) -> NDArray[np.uint8]:
        """Return the kind of each element in scores (`engine.index.elements.element_table`)."""
        return self._each(rows, lambda number, local: self._segments[number].kinds.take(local), dtype=np.uint8)

    def n_own_words(self, rows: Rows) -> Rows:
        """Return the number of words in the own text of each element, stop words included."""

        def count(number: int, local: Rows) -> Rows:
            words = self._segments[number].words
            return words.take(local + 1) - words.take(local)

        return self._each(rows, count)

    def leaf_of_word(self, words: Rows) -> Rows:
        """Return the element in whose own text each word is."""

        def find(number: int, local: Rows) -> Rows:
            leaves: Rows = self._segments[number].words.rank(local + 1) - 1 + self.row_base[number]
            return leaves

        return self._each(words, find, base=self.word_base)

    def text_node(self, words: Rows) -> Rows:
        """Return the number of the text node of each word; words of a leaf are in the same text node if it is equal."""
        return self._each(
            words, lambda number, local: self._segments[number].text_nodes.rank(local + 1), base=self.word_base
        )

    def n_sentences(self, leaves: Rows) -> Rows:
        """Return the number of sentences in the own text of each leaf; 0 of other elements."""

        def count(number: int, local: Rows) -> Rows:
            segment = self._segments[number]
            first, end = segment.words.take(local), segment.words.take(local + 1)
            inside = sum(column.rank(end) - column.rank(first) for column in (segment.text_nodes, segment.sentences))
            return inside + (end > first)

        return self._each(leaves, count)

    def sentence_starts(self, documents: Rows) -> Rows:
        """Return the numbers of the first words of the sentences in the documents (ascending), ascending.

        The first sentence of each leaf is excluded: it begins with the first word of the leaf.
        """
        found = []
        for number, local in self._by_segment(documents):
            segment = self._segments[number]
            first, end = segment.words.take(segment.first_row[local]), segment.words.take(segment.first_row[local + 1])
            starts = []
            for column in (segment.text_nodes, segment.sentences):
                low, high = column.rank(first), column.rank(end)
                starts.append(column.take(ranges(low, high - low)))
            found.append(np.sort(np.concatenate(starts), kind="stable") + self.word_base[number])  # merges sorted runs
        return join(found)

    def document(self, rows: Rows) -> Rows:
        """Return the document numbers."""

        def find(number: int, local: Rows) -> Rows:
            first_row = self._segments[number].first_row
            documents: Rows = np.searchsorted(first_row, local, side="right") - 1 + self.document_base[number]
            return documents

        return self._each(rows, find)

    def root(self, documents: Rows) -> Rows:
        """Return the rows of the documents' roots."""
        return self._first_rows(documents, 0)

    def document_end(self, documents: Rows) -> Rows:
        """Return one past the last row of each document."""
        return self._first_rows(documents, 1)

    def _by_segment(self, documents: Rows) -> Iterator[tuple[int, Rows]]:
        """Yield the number of each segment with one of the documents (ascending), and their numbers within it."""
        if len(self._segments) == 1 and len(documents):
            yield 0, documents
            return
        borders = np.searchsorted(documents, self.document_base)
        for number in places_of(np.diff(borders)).tolist():
            yield number, documents[borders[number] : borders[number + 1]] - self.document_base[number]

    def _column(self, number: int, name: str, local: Rows) -> NDArray[Any]:
        return self._segments[number].elements.column(name).take(local)

    def _first_rows(self, documents: Rows, shift: int) -> Rows:
        def find(number: int, local: Rows) -> Rows:
            rows, base = self._segments[number].first_row.take(local + shift), self.row_base[number]
            return rows + base if base else rows

        return self._each(documents, find, base=self.document_base)

    def _each(
        self,
        rows: Rows,
        look_up: Callable[..., NDArray[Any]],
        *others: Rows,
        base: Rows | None = None,
        dtype: type[np.generic] = np.int64,
    ) -> NDArray[Any]:
        """Return the results of `look_up(segment number, rows within it, ...)` for rows of any segments.

        Args:
            others: more rows, each in the segment of the row at its place.
            base: what the rows are numbered from in each segment, `row_base` if they are rows of elements.
        Raises: QueryTimeError where time is over, so that whoever climbs from parent to parent reads the clock.
        """
        check_time()
        if len(self._segments) == 1:
            return look_up(0, rows, *others).astype(dtype, copy=False)
        base = self.row_base if base is None else base
        result = np.empty(len(rows), dtype)
        number = np.searchsorted(base, rows, side="right") - 1
        for each in distinct(number).tolist():
            chosen = number == each
            result[chosen] = look_up(each, *(column[chosen] - base[each] for column in (rows, *others)))
        return result


def join(columns: Sequence[Rows]) -> Rows:
    """Return columns one after the other; of none, an empty one."""
    return np.concatenate([np.empty(0, np.int64), *columns])
