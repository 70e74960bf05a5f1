"""The elements of an open index that are long enough to be scored, as a tree: most elements are shorter.

A tree has the columns that scores read, one entry for each of its elements, so that nothing is read of the others. It
is made when searches have read so many elements that it would have saved time, and is kept for further searches with
the same settings.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.array_types import Rows
from engine.arrays import places_of
from engine.columns.cache import SizedCache
from engine.errors import INDEX_AGAIN, IndexFormatError
from engine.index.elements.containment import adjacent_siblings
from engine.index.elements.element_store import Elements
from engine.index.elements.header_rows import HeaderRowStore
from engine.index.elements.titles import LONGEST_TITLE, TitleStore
from engine.records import NamedTuple

# A tree is made once 1 / COPY_SHARE of the elements of the index were read without it, which takes as long.
COPY_SHARE = 16
# Size of all trees that are cached, in eight-byte numbers: 256 MiB.
CAPACITY = 2**25
# Elements that are read at a time to make a tree, at least one document.
READ_AT_A_TIME = 2**18
# log2 of the bits of a number, and the numbers in which the first, the first two ... bits are set.
BITS = 6
UP_TO = np.uint64(2**64 - 1) >> np.arange(63, -1, -1, dtype=np.uint64)
# Kinds of trees whose elements are counted.
N_KINDS = 16


class TreeKind(NamedTuple):
    """What a tree contains: elements of `min_words` words or more, roots, and, if they count, headings and
    header rows of tables, with the groups of rows around these; none inline.

    neighbour_words: words of neighbours, at least, and no fewer than `min_words`.
    """

    min_words: float
    neighbour_words: float
    with_headings: bool
    with_header_rows: bool


# What scores read of an element, in one place of the memory: its row, one past the last row of its subtree, and the
# words of that; the place of the neighbour after it, -1 without one; the number of its tag, and the steps of its path;
# whether the nearest element around it that is not inline is not in the tree; how many elements up is that which it is
# a heading of, 0 for none (roots excepted); and whether it is mostly titles.
ENTRY = np.dtype(
    [
        *(("row", "<i4"), ("end", "<i4"), ("words", "<i4"), ("following", "<i4"), ("tag", "<i4")),
        ("depth", "<u2"),
        *(("is_lower", "?"), ("heading_levels", "u1"), ("is_mostly_titles", "?")),
    ],
    align=True,
)


class ElementTree:
    """The elements of one kind of all documents, ascending.

    Args:
        entries: of dtype ENTRY, kept. above: the place of the nearest element of the tree around each, kept; a root is
            its own.
        n_elements: of the index.
    """

    def __init__(self, entries: NDArray[np.void], above: NDArray[np.int32], n_elements: int) -> None:
        self._entries, self._above = entries, np.ascontiguousarray(above)
        self._bytes = entries.view(np.uint8)
        self._ends = np.ascontiguousarray(entries["end"])
        is_here = np.zeros((n_elements >> BITS) + 1 << BITS, np.bool_)
        is_here[entries["row"]] = True
        # Which elements are here, 64 of them a number, and how many are here before these.
        self._are_here = np.packbits(is_here, bitorder="little").view("<u8")
        counts = np.bitwise_count(self._are_here).cumsum(dtype=np.int32)
        self._n_before = np.append(np.zeros(1, np.int32), counts[:-1])

    @property
    def size(self) -> int:
        """Numbers of eight bytes."""
        columns = self._entries, self._ends, self._above, self._are_here, self._n_before
        return sum(column.nbytes for column in columns) // 8

    def entries(self, places: Rows) -> NDArray[np.void]:
        """Return the entries of some elements, dtype ENTRY."""
        found: NDArray[np.void] = self._entries.take(places)
        return found

    def places(self, rows: Rows) -> Rows:
        """Return the place of the lowest element that contains each row, or is it.

        Raises: IndexFormatError for a row that is in no element.
        """
        number = rows >> BITS
        n_inside = np.bitwise_count(self._are_here.take(number) & UP_TO.take(rows & (1 << BITS) - 1))
        places: Rows = self._n_before.take(number) + n_inside - np.int64(1)
        ends, above = self._ends, self._above
        climbing = places_of(ends.take(places) <= rows)
        while climbing.size:
            lower = places.take(climbing)
            higher = above.take(lower)
            if (higher == lower).any():
                raise IndexFormatError(f"extent.npy: a subtree ends before one of its elements: {INDEX_AGAIN}.")
            places[climbing] = higher
            climbing = climbing.compress(ends.take(places.take(climbing)) <= rows.take(climbing))
        return places

    @property
    def columns(self) -> tuple[NDArray[Any], ...]:
        """The entries as bytes, which elements are here, how many before, and what is above each: for a kernel."""
        return self._bytes, self._are_here, self._n_before, self._above

    def above(self, places: Rows) -> Rows:
        """Return the places of the nearest elements around some; of roots, their own."""
        return self._above.take(places).astype(np.int64)


class ElementTrees:
    """Makes trees, and caches the most recently used.

    Args:
        headings: tags of headings; header_rows: headings of tables.
    """

    def __init__(
        self, elements: Elements, titles: TitleStore, headings: Collection[str], header_rows: HeaderRowStore
    ) -> None:
        self._elements, self._titles, self._headings, self._header_rows = elements, titles, headings, header_rows
        self._trees: SizedCache[TreeKind, ElementTree | None] = SizedCache(
            lambda tree: tree.size if tree else 1, CAPACITY
        )
        self._n_read: SizedCache[TreeKind, list[int]] = SizedCache(lambda _: 1, N_KINDS)

    def find(self, kind: TreeKind, n_elements: int) -> ElementTree | None:
        """Return the tree of a kind; None where it is not worth its time yet, or too large.

        Args:
            n_elements: how many will be read.
        """
        if (tree := self._trees.find(kind)) is not None:
            return tree
        n_read = self._n_read.get(kind, lambda: [0])
        n_read[0] += n_elements
        if n_read[0] * COPY_SHARE <= self._elements.row_base[-1]:
            return None
        n_read[0] = 0  # a tree that another one displaces is made again after as many
        return self._trees.get(kind, lambda: self._made(kind))

    def _made(self, kind: TreeKind) -> ElementTree | None:
        """Return the tree of a kind; None if it is larger than the cache."""
        if self._elements.row_base[-1] > np.iinfo(np.int32).max:
            return None
        n_elements, n_before = int(self._elements.row_base[-1]), 0
        entries: list[NDArray[np.void]] = []
        above: list[NDArray[np.int32]] = []
        for documents in self._portions():
            of_part, above_part = self._part(kind, documents)
            above_part += n_before
            of_part["following"] += np.where(of_part["following"] < 0, 0, n_before).astype(np.int32)
            entries.append(of_part)
            above.append(above_part)
            n_before += len(of_part)
            if n_before * ENTRY.itemsize > CAPACITY * 8:
                return None
        return ElementTree(np.concatenate(entries), np.concatenate(above), n_elements)

    def _portions(self) -> Iterator[Rows]:
        """Yield consecutive documents with about READ_AT_A_TIME elements together."""
        documents = np.arange(self._elements.document_base[-1])
        portion = self._elements.root(documents) // READ_AT_A_TIME
        yield from np.split(documents, places_of(np.diff(portion)) + 1)

    def _part(self, kind: TreeKind, documents: Rows) -> tuple[NDArray[np.void], NDArray[np.int32]]:
        """Return the elements of consecutive documents, and the places around them; places count from the first one."""
        elements = self._elements
        roots = elements.root(documents)
        first = int(roots[0])
        rows = np.arange(first, int(elements.document_end(documents[-1:])[0]))
        tags, ends, parents = elements.tag(rows), elements.end(rows), elements.parent(rows)
        words, is_root = elements.n_words(rows, ends), parents == rows
        levels = np.zeros(len(rows), np.uint8)
        is_between = np.zeros(len(rows), np.bool_)
        if kind.with_headings and kind.with_header_rows:
            headers = self._header_rows.of(documents)
            levels, is_between = headers.levels_among(rows, words, kind.min_words)
        if kind.with_headings:
            are_headings = elements.is_tag(self._headings).take(tags) & (words <= LONGEST_TITLE)
            levels[are_headings & ~is_root] = 1
        is_kept = is_root | (words >= kind.min_words) | (levels > 0) | is_between
        is_kept &= ~elements.is_inline(rows, tags)
        kept = places_of(is_kept)
        above = elements.nearest_non_inline(parents.take(kept)) - first
        is_lower = ~is_kept.take(above)
        climbing = places_of(is_lower)
        while climbing.size:
            above[climbing] = parents.take(above.take(climbing)) - first
            climbing = climbing.compress(~is_kept.take(above.take(climbing)))
        above = (is_kept.cumsum() - 1).take(above)
        rows, ends, words = (column.take(kept) for column in (rows, ends, words))
        is_root = is_root.take(kept)
        can_be = (words >= kind.neighbour_words) & ~is_root
        following = np.full(len(rows), -1)
        left, right = adjacent_siblings(rows, ends, above, can_be)
        following[left] = right
        entries = np.empty(len(rows), ENTRY)
        entries["row"], entries["end"], entries["words"] = rows, ends, words
        entries["following"], entries["is_lower"] = following, is_lower
        entries["tag"], entries["depth"] = tags.take(kept), elements.depth(rows)
        entries["heading_levels"] = levels.take(kept)
        of_documents = documents, is_root.cumsum() - 1
        entries["is_mostly_titles"] = self._titles.are_most(rows, ends, words, *of_documents)
        return entries, above.astype(np.int32)
