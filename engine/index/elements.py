"""The element store across the segments of an open index.

Rows count through all segments; a method takes and returns rows of any of them, so nobody else needs to know that
there are several.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.collection.profile import Profile
from engine.distinct import distinct
from engine.index.attributes import attributes_in
from engine.index.positions import positions_at
from engine.index.segment import Segment

Rows = NDArray[np.int64]


class Occurrences(NamedTuple):
    """Where a term occurs: one entry a leaf that holds it, ascending; positions one an occurrence, leaf by leaf."""

    rows: Rows
    tf: NDArray[np.int64]
    positions: NDArray[np.int64] | None = None


class _Tags(NamedTuple):
    """The tags of all elements of some documents of one segment, one after the other."""

    values: NDArray[Any]  # the segment's own numbers
    numbers: Rows  # the index's number of each of these
    begins: Rows  # a document: the place of its first value
    first_rows: Rows  # a document: the row of its root


class DocumentTags:
    """The tags of all elements of some documents, read once."""

    def __init__(self, pieces: Sequence[_Tags]) -> None:
        self._pieces = pieces

    def rows(self, tags: Sequence[int]) -> Rows:
        """Return the elements that have one of the tags, ascending."""
        found = []
        for values, numbers, begins, first_rows in self._pieces:
            own = np.flatnonzero(np.isin(numbers, tags)).tolist()
            if own:
                is_found = values == own[0]
                for tag in own[1:]:
                    is_found |= values == tag
                places = np.flatnonzero(is_found)
                counts = np.diff(np.searchsorted(places, begins), append=len(places))
                found.append(places + np.repeat(first_rows - begins, counts))
        return _join(found)


class Elements:
    """Columns of all elements; every argument and result is an int64 array."""

    def __init__(self, segments: Sequence[Segment], profiles: Callable[[str], Profile]) -> None:
        self._segments = segments
        self.row_base = np.concatenate([[0], np.cumsum([s.n_elements for s in segments])]).astype(np.int64)
        self.document_base = np.concatenate([[0], np.cumsum([s.n_documents for s in segments])]).astype(np.int64)
        self.tags = sorted({tag for segment in segments for tag in segment.tags})
        self.tag_numbers = {tag: number for number, tag in enumerate(self.tags)}
        self._tag_numbers = [np.array([self.tag_numbers[tag] for tag in s.tags], np.int64) for s in segments]
        self._inline = [_inline_table(segment, profiles) for segment in segments]
        self._has_inline = [bool(table.any()) for table in self._inline]

    def tag(self, rows: Rows) -> Rows:
        """Return the tag numbers, into `tags`."""
        return self._each(rows, lambda number, own: self._tag_numbers[number][self._column(number, "tag", own)])

    def parent(self, rows: Rows) -> Rows:
        """Return the parents' rows; a root is its own."""
        return rows - self._each(rows, lambda number, own: self._column(number, "parent", own))

    def end(self, rows: Rows) -> Rows:
        """Return one past the last row of each subtree."""
        return rows + self._each(rows, lambda number, own: self._column(number, "extent", own))

    def depth(self, rows: Rows) -> Rows:
        """Return the number of steps of each path."""
        return self._each(rows, lambda number, own: self._column(number, "depth", own))

    def ordinal(self, rows: Rows) -> Rows:
        """Return the positions among siblings of the same name, from 1."""
        return self._each(rows, lambda number, own: self._column(number, "ordinal", own))

    def document(self, rows: Rows) -> Rows:
        """Return the document numbers."""

        def find(number: int, own: Rows) -> Rows:
            first_row = self._segments[number].first_row
            documents: Rows = np.searchsorted(first_row, own, side="right") - 1 + self.document_base[number]
            return documents

        return self._each(rows, find)

    def root(self, documents: Rows) -> Rows:
        """Return the rows of the documents' roots."""
        return self._first_rows(documents, 0)

    def document_end(self, documents: Rows) -> Rows:
        """Return one past the last row of each document."""
        return self._first_rows(documents, 1)

    def lift(self, rows: Rows) -> Rows:
        """Return, a row, the nearest element from it upwards that is not inline."""
        if not any(self._has_inline):
            return rows
        lifted = rows.copy()
        climbing = np.arange(len(rows))
        while climbing.size:
            climbing = climbing[self._is_inline(lifted[climbing])]
            lifted[climbing] = self.parent(lifted[climbing])
        return lifted

    def occurrences(self, term: str, documents: Rows, *, positions: bool = False) -> Occurrences:
        """Return where a term occurs in the given documents (ascending)."""
        found = [
            _occurrences(self._segments[number], term, own, int(self.row_base[number]), positions)
            for number, own in self._by_segment(documents)
        ]
        if len(found) == 1:
            return found[0]
        return Occurrences(
            _join([each.rows for each in found]),
            _join([each.tf for each in found]),
            _join([each.positions for each in found if each.positions is not None]) if positions else None,
        )

    def tags_in(self, documents: Rows) -> DocumentTags:
        """Return the tags of all elements of some documents (ascending), to be searched."""
        pieces = []
        for number, own in self._by_segment(documents):
            segment = self._segments[number]
            first, last = segment.first_row[own], segment.first_row[own + 1]
            values = segment.elements.column("tag").slices(first, last)
            begins = np.cumsum(last - first) - (last - first)
            pieces.append(
                _Tags(np.concatenate(values), self._tag_numbers[number], begins, first + self.row_base[number])
            )
        return DocumentTags(pieces)

    def attributes(self, names: Sequence[str], documents: Rows) -> tuple[Rows, Sequence[str]]:
        """Return the attributes of some names in some documents (ascending): the elements that have them, and values.

        Only attributes that the documents' profiles name are known.
        """
        found: list[Rows] = []
        values: list[str] = []
        for number, own in self._by_segment(documents):
            place, rows, texts = attributes_in(self._segments[number].elements, names, own)
            found.append(rows + self._segments[number].first_row[own[place]] + self.row_base[number])
            values += texts
        return _join(found), values

    def _by_segment(self, documents: Rows) -> Iterator[tuple[int, Rows]]:
        """Yield the number of each segment that holds some of the documents (ascending), and their numbers in it."""
        borders = np.searchsorted(documents, self.document_base)
        for number in np.flatnonzero(np.diff(borders)).tolist():
            yield number, documents[borders[number] : borders[number + 1]] - self.document_base[number]

    def _is_inline(self, rows: Rows) -> NDArray[np.bool_]:
        def look_up(number: int, own: Rows) -> NDArray[np.bool_]:
            segment = self._segments[number]
            documents = np.searchsorted(segment.first_row, own, side="right") - 1
            profiles = segment.elements.column("profile").take(documents)
            is_root = segment.first_row[documents] == own
            inline: NDArray[np.bool_] = (
                self._inline[number][profiles, segment.elements.column("tag").take(own)] & ~is_root
            )
            return inline

        return self._each(rows, look_up).astype(np.bool_)

    def _column(self, number: int, name: str, own: Rows) -> NDArray[Any]:
        return self._segments[number].elements.column(name).take(own)

    def _first_rows(self, documents: Rows, shift: int) -> Rows:
        number = np.searchsorted(self.document_base, documents, side="right") - 1
        rows = np.empty(len(documents), np.int64)
        for each in distinct(number).tolist():
            chosen = number == each
            own = documents[chosen] - self.document_base[each] + shift
            rows[chosen] = self._segments[each].first_row[own] + self.row_base[each]
        return rows

    def _each(self, rows: Rows, look_up: Callable[[int, Rows], NDArray[Any]]) -> Rows:
        """Return what `look_up(segment number, rows in it)` gives, for rows of any segments."""
        if len(self._segments) == 1:
            return look_up(0, rows).astype(np.int64)
        result = np.empty(len(rows), np.int64)
        number = np.searchsorted(self.row_base, rows, side="right") - 1
        for each in distinct(number).tolist():
            chosen = number == each
            result[chosen] = look_up(each, rows[chosen] - self.row_base[each])
        return result


def _inline_table(segment: Segment, profiles: Callable[[str], Profile]) -> NDArray[np.bool_]:
    """Return, profile by tag, which tags are inline."""
    members = [profiles(name).inline for name in segment.profiles]
    return np.array([[tag in inline for tag in segment.tags] for inline in members], np.bool_)


def _occurrences(segment: Segment, term: str, documents: Rows, row_base: int, positions: bool) -> Occurrences:
    """Return a term's occurrences in some documents of one segment."""
    none = np.empty(0, np.int64)
    number = segment.terms.term_number(term.encode())
    if number < 0:
        return Occurrences(none, none, none if positions else None)
    holding, tf = segment.terms.postings(number)
    if not len(holding):  # a term of left-out elements only
        return Occurrences(none, none, none if positions else None)
    first = int(segment.articles.column("postings_of_term").slice(number, number + 1)[0])
    n_leaves = segment.elements.column("n_leaves").slice(first, first + len(holding)).astype(np.int64)
    place = np.searchsorted(holding, documents.astype(holding.dtype))  # else all of holding would be converted
    place[place == len(holding)] = 0
    place = place[holding[place] == documents]
    first_leaf = int(segment.elements.column("leaves_of_term").slice(number, number + 1)[0])
    begins = np.cumsum(n_leaves) - n_leaves + first_leaf
    counts = n_leaves[place]
    leaves = ranges(begins[place], counts)
    own_rows = segment.first_row[holding[place].astype(np.int64)]
    rows = segment.elements.column("leaf").take(leaves) + np.repeat(own_rows, counts) + row_base
    leaf_tf = segment.elements.column("leaf_tf").take(leaves).astype(np.int64)
    if not positions:
        return Occurrences(rows, leaf_tf)
    first_position = int(segment.elements.column("positions_of_term").slice(number, number + 1)[0])
    article_tf = tf.astype(np.int64)
    begins = np.cumsum(article_tf) - article_tf + first_position
    where = ranges(begins[place], article_tf[place])
    return Occurrences(rows, leaf_tf, positions_at(segment.elements, where))


def _join(columns: Sequence[Rows]) -> Rows:
    return np.concatenate([np.empty(0, np.int64), *columns])


def ranges(starts: Rows, counts: Rows) -> Rows:
    """Return the numbers of all ranges start, start + 1, ... of the given lengths, one after the other."""
    ends = np.cumsum(counts)
    return np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(starts - ends + counts, counts)
