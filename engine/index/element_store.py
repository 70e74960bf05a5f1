"""The elements of an open index, across its segments.

Rows are numbered through all segments; methods take and return rows of any of them, so callers need not know segments.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import distinct, places_of, ranges, read_only
from engine.collection.profile import BREAK, NO_BREAK, Profile
from engine.index.attribute_reading import attribute_names, attributes_in
from engine.index.cache import CAPACITY, SizedCache
from engine.index.leaf_postings import Occurrences, SegmentOccurrences
from engine.index.profile_tags import ProfileTags
from engine.index.segment import Segment
from engine.index.tag_rows import TagRows

Rows = NDArray[np.int64]


class Elements:
    """Columns of all elements; every argument and result is an int64 array."""

    def __init__(self, segments: Sequence[Segment], profiles: Callable[[str], Profile]) -> None:
        self._segments = segments
        self.row_base = np.concatenate([[0], np.cumsum([s.n_elements for s in segments])]).astype(np.int64)
        self.document_base = np.concatenate([[0], np.cumsum([s.n_documents for s in segments])]).astype(np.int64)
        self._word_base = np.concatenate([[0], np.cumsum([s.n_words for s in segments])]).astype(np.int64)
        self.tags = sorted({tag for segment in segments for tag in segment.tags})
        self.tag_numbers = {tag: number for number, tag in enumerate(self.tags)}
        self.tag_numbers_of_segments = [np.array([self.tag_numbers[tag] for tag in s.tags], np.int64) for s in segments]
        self._local_tag_numbers = [
            {tag: local for local, tag in enumerate(n.tolist())} for n in self.tag_numbers_of_segments
        ]
        self._tag_rows = [TagRows(segment) for segment in segments]
        self._occurrences = [SegmentOccurrences(segment, CAPACITY // len(segments)) for segment in segments]
        self._inline = [ProfileTags(s, [profiles(name).inline for name in s.profiles]) for s in segments]
        self._breaks = [ProfileTags(s, [profiles(name).breaks for name in s.profiles]) for s in segments]
        self._are_named: SizedCache[frozenset[str], NDArray[np.bool_]] = SizedCache(lambda named: named.nbytes // 8)
        self._tags_in: dict[frozenset[str], NDArray[np.bool_]] = {}
        of_segments = zip(self.tag_numbers_of_segments, self._inline, strict=True)
        # Numbers of the tags that are inline in a profile of the index.
        self.inline_tags = frozenset(
            number for numbers, inline in of_segments for number in numbers[inline.in_any_profile].tolist()
        )
        self._is_inline_tag = np.zeros(len(self.tags), np.bool_)
        self._is_inline_tag[sorted(self.inline_tags)] = True

    def tag(self, rows: Rows) -> Rows:
        """Return the tag numbers, into `tags`."""
        numbers = self.tag_numbers_of_segments
        return self._each(rows, lambda number, local: numbers[number][self._column(number, "tag", local)])

    def parent(self, rows: Rows) -> Rows:
        """Return the parents' rows; a root is its own parent."""
        up: Rows = self._each(rows, lambda number, local: self._segments[number].parents.take(local))
        return rows - up

    def end(self, rows: Rows) -> Rows:
        """Return one past the last row of each subtree."""
        extent: Rows = self._each(rows, lambda number, local: self._segments[number].extents.take(local))
        return rows + extent

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
        return self._each(
            rows, lambda number, local: self._segments[number].words.take(local) + self._word_base[number]
        )

    def n_words(self, rows: Rows, ends: Rows | None = None) -> Rows:
        """Return the number of words in each subtree, stop words included.

        Args:
            ends: one past the last row of each subtree, where it is known.
        """

        def count(number: int, first: Rows, end: Rows) -> Rows:
            words = self._segments[number].words
            return words.take(end) - words.take(first)

        return self._each(rows, count, self.end(rows) if ends is None else ends)

    def n_own_words(self, rows: Rows) -> Rows:
        """Return the number of words in the own text of each element, stop words included."""

        def count(number: int, local: Rows) -> Rows:
            words = self._segments[number].words
            return words.take(local + 1) - words.take(local)

        return self._each(rows, count)

    def text_node(self, words: Rows) -> Rows:
        """Return the number of the text node of each word; words of a leaf are in the same text node if it is equal."""
        return self._each(
            words, lambda number, local: self._segments[number].text_nodes.rank(local + 1), base=self._word_base
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
        """Return the numbers of the first words of sentences in some documents (ascending), ascending.

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
            found.append(np.sort(np.concatenate(starts), kind="stable") + self._word_base[number])  # merges sorted runs
        return _join(found)

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

    def is_inline(self, rows: Rows, tags: Rows | None = None) -> NDArray[np.bool_]:
        """Return which elements are inline: their text belongs to the parent. A root is never inline.

        Args:
            tags: their tag numbers, where they are known.
        """
        if tags is None:
            return self._have(self._inline, rows)
        found: NDArray[np.bool_] = self._is_inline_tag.take(tags)
        places = places_of(found)
        found[places] = self._have(self._inline, rows.take(places))
        return found

    def end_words(self, rows: Rows) -> NDArray[np.bool_]:
        """Return at which elements (ascending) words end: those that are not inline, and breaks without break="no"."""
        found = ~self.is_inline(rows)
        is_break = self._have(self._breaks, rows)
        if is_break.any():
            documents = distinct(self.document(rows[is_break]))
            having, values = self.attributes([BREAK], documents)
            unbroken = having[np.array([value == NO_BREAK for value in values], np.bool_)]
            found |= is_break & ~np.isin(rows, unbroken)
        return found

    def _have(self, tags: Sequence[ProfileTags], rows: Rows) -> NDArray[np.bool_]:
        """Return which elements have tags of a kind."""
        if all(each.is_empty for each in tags):
            return np.zeros(len(rows), np.bool_)
        return self._each(rows, lambda number, local: tags[number].include(local), dtype=np.bool_)

    def nearest_non_inline(self, rows: Rows) -> Rows:
        """Return for each row the nearest ancestor-or-self that is not inline."""
        lifted = rows.copy()
        climbing = np.arange(len(rows))
        while climbing.size:
            climbing = climbing[self.is_inline(lifted[climbing])]
            lifted[climbing] = self.parent(lifted[climbing])
        return lifted

    def occurrences(self, term: str, documents: Rows, *, positions: bool = False) -> Occurrences:
        """Return the occurrences of a term in some documents (ascending)."""
        found = []
        for number, local in self._by_segment(documents):
            in_segment = self._occurrences[number].of(term, local, positions=positions)
            found.append(in_segment._replace(rows=in_segment.rows + self.row_base[number]))
        return found[0] if len(found) == 1 else _united(found, positions=positions)

    def occurrences_of_each(
        self, terms: Sequence[str], documents: Rows, *, positions: bool = False
    ) -> list[Occurrences]:
        """Return the occurrences of each of some terms in some documents (ascending); faster than one by one."""
        found: list[list[Occurrences]] = [[] for _ in terms]
        for number, local in self._by_segment(documents):
            base = self.row_base[number]
            in_segment = self._occurrences[number].of_each(terms, local, positions=positions)
            for in_segments, of_term in zip(found, in_segment, strict=True):
                in_segments.append(of_term._replace(rows=of_term.rows + base) if base else of_term)
        return [of_term[0] if len(of_term) == 1 else _united(of_term, positions=positions) for of_term in found]

    def fewest_leaves(self, term: str, documents: Rows) -> Rows:
        """Return in how many leaves of each document (ascending) a term occurs, or one of those it stands for."""
        counts = [self._occurrences[number].fewest_leaves(term, local) for number, local in self._by_segment(documents)]
        return counts[0] if len(counts) == 1 else _join(counts)

    def word_numbers(self, term: str, documents: Rows) -> Rows:
        """Return the word numbers of the occurrences of a term in some documents (ascending), ascending."""
        return self.word_numbers_of_each([term], documents)[0]

    def word_numbers_of_each(self, terms: Sequence[str], documents: Rows) -> list[Rows]:
        """Return the word numbers of each of some terms; faster than one by one."""
        found = self.occurrences_of_each(terms, documents, positions=True)
        positions = [of_term.positions for of_term in found if of_term.positions is not None]
        first = self.first_word(_join([of_term.rows for of_term in found]))
        numbers = first.repeat(_join([of_term.tf for of_term in found])) + _join(positions)
        return np.split(numbers, np.cumsum([len(of_term) for of_term in positions])[:-1]) if terms else []

    def with_tags(self, tags: Sequence[int], documents: Rows) -> Rows:
        """Return the elements of some tags in some documents (ascending), ascending."""
        found: list[Rows] = []
        for number, local in self._by_segment(documents):
            in_segment = self._local_tag_numbers[number]
            rows = [self._tag_rows[number].rows(in_segment[tag], local) for tag in tags if tag in in_segment]
            if rows:
                found.append((rows[0] if len(rows) == 1 else np.sort(np.concatenate(rows))) + self.row_base[number])
        return _join(found)

    def is_tag(self, names: Collection[str]) -> NDArray[np.bool_]:
        """Return which tags have one of some names, shape (n_tags,); read-only."""
        return self._are_named.get(frozenset(names), lambda: self._named(names))

    def _named(self, names: Collection[str]) -> NDArray[np.bool_]:
        return read_only(np.fromiter((tag in names for tag in self.tags), np.bool_, len(self.tags)))

    def tags_in(self, names: Collection[str]) -> NDArray[np.bool_]:
        """Return which tags have some names, or are those of elements inside such elements, inline ones left out.

        Shape (n_tags,). All elements are read, the first time.
        """
        key = frozenset(names)
        if key not in self._tags_in:
            named = self.is_tag(key)
            found = named.copy()
            for number, segment in enumerate(self._segments):
                is_named = named[self.tag_numbers_of_segments[number]]
                rows = places_of(is_named[segment.elements.column("tag").all()]) + self.row_base[number]
                inner = ranges(rows + 1, self.end(rows) - rows - 1)
                found[self.tag(inner.compress(~self.is_inline(inner)))] = True
            self._tags_in[key] = found
        return self._tags_in[key]

    @property
    def attribute_names(self) -> Sequence[str]:
        """Names of the attributes of the segments, sorted; some may be left of deleted documents alone."""
        return sorted({name for segment in self._segments for name in attribute_names(segment.elements)})

    def attributes(self, names: Sequence[str], documents: Rows) -> tuple[Rows, Sequence[str]]:
        """Return the attributes of some names in some documents (ascending): the elements that have them, and values.

        Only attributes that the documents' profiles name are known.
        """
        found: list[Rows] = []
        values: list[str] = []
        for number, local in self._by_segment(documents):
            place, rows, texts = attributes_in(self._segments[number].elements, names, local)
            found.append(rows + self._segments[number].first_row[local[place]] + self.row_base[number])
            values += texts
        return _join(found), values

    def _by_segment(self, documents: Rows) -> Iterator[tuple[int, Rows]]:
        """Yield for each segment with some of the documents (ascending) its number and their numbers within it."""
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
        """
        if len(self._segments) == 1:
            return look_up(0, rows, *others).astype(dtype, copy=False)
        base = self.row_base if base is None else base
        result = np.empty(len(rows), dtype)
        number = np.searchsorted(base, rows, side="right") - 1
        for each in distinct(number).tolist():
            chosen = number == each
            result[chosen] = look_up(each, *(column[chosen] - base[each] for column in (rows, *others)))
        return result


def _united(found: Sequence[Occurrences], *, positions: bool = False) -> Occurrences:
    """Return the occurrences of one term in consecutive segments."""
    return Occurrences(
        _join([each.rows for each in found]),
        _join([each.tf for each in found]),
        _join([each.n_leaves for each in found]),
        _join([each.positions for each in found if each.positions is not None]) if positions else None,
    )


def _join(columns: Sequence[Rows]) -> Rows:
    return np.concatenate([np.empty(0, np.int64), *columns])
