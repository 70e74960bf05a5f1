"""Sums over the elements of each tag, from which statistics of tags and of text blocks are computed.

    WORDS            words in the elements, with those of their subtrees
    SQUARED_LEAVES   squared lengths of the leaves in their subtrees, in words
    ELEMENTS         elements
    SQUARED_BLOCKS   squared lengths of their own text, in words
    BLOCK_WORDS      words of their own text
    UNDIVIDED_TEXTS  elements that are undivided text (`engine.index.statistics.tag_sums`)

An undivided text counts as if it had USUAL_BLOCK words.

A segment stores the sums, so that opening a large index does not read all of its elements; they are counted again where
documents of it are deleted.

Undivided text: elements whose own text is nearly a whole document, or longer than any paragraph.

Its length says how long documents are, not how long the blocks are that texts are usually divided into. So an undivided
text counts as one block of usual length, and passages of it are runs of its sentences.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import FloatArray, Mask, Numbers, places_of, read_only
from engine.collection.profiles.profile import TERM_LISTS, Profile
from engine.errors import INDEX_AGAIN, IndexFormatError
from engine.index.elements.element_store import Elements
from engine.index.segment import Segment
from engine.records import NamedTuple

# Words of an element that is undivided text wherever it is.
LONGER_THAN_PARAGRAPHS = 2000
# Words of one that is, where these are nearly all of its document: NEARLY_ALL in a hundred.
LEAST_WORDS, NEARLY_ALL = 300, 90
# Words of a usual block of text, as which each undivided text counts.
USUAL_BLOCK = 100
# Tags whose words are usually in leaves shorter than this share of the mean by words are of fragments, such as cells.
FRAGMENT = 0.3
# The weight of the mean by blocks in a text block's length, relative to that of the mean by words.
BY_BLOCKS = 1.5


def are_undivided(own: Numbers, of_documents: Numbers) -> Mask:
    """Return which elements are undivided text.

    Args:
        own: words of their own text. of_documents: words of their documents.
    """
    is_document = (own >= LEAST_WORDS) & (100 * own >= NEARLY_ALL * of_documents)
    return is_document | (own >= LONGER_THAN_PARAGRAPHS)


Slice = Callable[[int, int], NDArray[Any]]

# Name of the column that stores them, shape (N_SUMS, n_tags), and its rows.
TAG_SUMS = "tag_totals"
WORDS, SQUARED_LEAVES, ELEMENTS, SQUARED_BLOCKS, BLOCK_WORDS, UNDIVIDED_TEXTS = range(6)
N_SUMS = 6
# Elements that are counted at a time, at least one document: their columns fit into the caches of a processor.
READ_AT_A_TIME = 2**15


class SlicedColumns(NamedTuple):
    """Columns of elements, read by slices: numbers of tags, first words (one more than elements), sizes of subtrees."""

    first_row: Numbers
    tags: Slice
    words: Slice
    extents: Slice


def sums_of_segment(segment: Segment, live: Mask | None) -> Numbers:
    """Return the sums of each tag of a segment, shape (N_SUMS, n_tags).

    Args:
        live: mask of its documents that are not deleted; None for all.
    Raises: IndexFormatError if the segment stores other numbers than one of each kind for a tag.
    """
    if live is None or live.all():
        stored = segment.elements.column(TAG_SUMS).all()
        if stored.shape != (N_SUMS, len(segment.tags)):
            raise IndexFormatError(
                f"{segment.folder}: {TAG_SUMS}.npy has the shape {stored.shape}, not {(N_SUMS, len(segment.tags))}: "
                f"the index is damaged, {INDEX_AGAIN}."
            )
        return stored.astype(np.int64)
    tags = segment.elements.column("tag")
    columns = SlicedColumns(segment.first_row, tags.slice, segment.words.slice, segment.extents.slice)
    return count_sums(columns, len(segment.tags), live)


def count_sums(columns: SlicedColumns, n_tags: int, live: Mask | None = None) -> Numbers:
    """Return the sums of each tag, shape (N_SUMS, n_tags), from the elements of the live documents."""
    sums = np.zeros((N_SUMS, n_tags))  # whole numbers, exact below 2^53
    for documents in _portions(columns.first_row):
        first_row = columns.first_row[documents.start : documents.stop + 1]
        begin, end = int(first_row[0]), int(first_row[-1])
        before = columns.words(begin, end + 1).astype(np.int64, copy=False)
        undivided = _undivided(before, first_row - begin)
        own = np.diff(before)
        if undivided.size:
            own[undivided] = USUAL_BLOCK
            before = np.append(0, own.cumsum())
        squares_before = np.append(0, (own**2).cumsum())
        tags = columns.tags(begin, end)
        ends = np.arange(len(tags)) + columns.extents(begin, end)
        words, squares = before[ends] - before[:-1], squares_before[ends] - squares_before[:-1]
        if live is not None:
            is_live = live[documents.start : documents.stop].repeat(np.diff(first_row))
            undivided = np.searchsorted(places_of(is_live), undivided[is_live[undivided]])
            tags, words, squares, own = tags[is_live], words[is_live], squares[is_live], own[is_live]
        sums[WORDS] += np.bincount(tags, words, n_tags)
        sums[SQUARED_LEAVES] += np.bincount(tags, squares, n_tags)
        sums[ELEMENTS] += np.bincount(tags, minlength=n_tags)
        sums[SQUARED_BLOCKS] += np.bincount(tags, own**2, n_tags)
        sums[BLOCK_WORDS] += np.bincount(tags, own, n_tags)
        sums[UNDIVIDED_TEXTS] += np.bincount(tags[undivided], minlength=n_tags)
    return sums.astype(np.int64)


def _undivided(before: Numbers, first_row: Numbers) -> Numbers:
    """Return the places of undivided texts, ascending.

    Args:
        before: of each element, the words before it; then all words. first_row: of each document; then all elements.
    """
    long = places_of(np.diff(before) >= LEAST_WORDS)
    documents = np.searchsorted(first_row, long, side="right") - 1
    of_documents = before[first_row[documents + 1]] - before[first_row[documents]]
    return long[are_undivided(before[long + 1] - before[long], of_documents)]


def _portions(first_row: Numbers) -> Iterator[range]:
    """Yield consecutive documents with about READ_AT_A_TIME elements together."""
    n_documents = len(first_row) - 1
    borders = [0, *(places_of(np.diff(first_row[:-1] // READ_AT_A_TIME)) + 1).tolist(), n_documents]
    yield from (range(first, end) for first, end in pairwise(borders) if first < end)


class TagStatistics(NamedTuple):
    """Statistics of the live elements of each tag, by tag number, shape (n_tags,); 0 of a tag without elements.

    They are quotients of integer sums, so they do not depend on segments.

    leaf_words: length of the leaf that contains a word, averaged over the words in the elements of the tag.
    mean_words: words of an element, averaged over the elements of the tag.
    have_undivided_text: whether elements of the tag are undivided text, which counts as one block of usual length.
    """

    leaf_words: FloatArray
    mean_words: FloatArray
    have_undivided_text: Mask


def block_words(sums: NDArray[np.int64]) -> float:
    """Return the length of a text block in words, from the sums of all tags.

    It is √(BY_BLOCKS · b · w), at most w. w: the length of the own text that contains a word, averaged over words, so
    short texts, such as cells, hardly count, even if many. b: words of an element, averaged over the elements that are
    blocks: those of tags whose words are mostly their own, fragments left out. The means differ where a few blocks are
    much longer than the others.
    """
    of_blocks = sums[BLOCK_WORDS]
    by_words = int(sums[SQUARED_BLOCKS].sum()) / max(int(of_blocks.sum()), 1)
    are_long = tag_statistics(sums).leaf_words >= FRAGMENT * by_words
    are_blocks = are_long & (of_blocks > 0) & (2 * of_blocks >= sums[WORDS])
    by_blocks = int(of_blocks[are_blocks].sum()) / max(int(sums[ELEMENTS][are_blocks].sum()), 1)
    return min(by_words, math.sqrt(BY_BLOCKS * by_blocks * by_words)) if by_blocks else by_words


def tag_statistics(sums: NDArray[np.int64]) -> TagStatistics:
    """Return the statistics of all tags, from their sums (`engine.index.statistics.tag_sums`)."""
    n_words = sums[WORDS]
    leaf_words, mean_words = sums[SQUARED_LEAVES] / np.maximum(n_words, 1), n_words / np.maximum(sums[ELEMENTS], 1)
    return TagStatistics(leaf_words, mean_words, sums[UNDIVIDED_TEXTS] > 0)


class FragmentTags(NamedTuple):
    """By tag number: whether the elements of the tag usually contain fragments, and whether they are fragments."""

    contain_fragments: Mask
    are_fragments: Mask


def fragment_tags(
    elements: Elements, usual: TagStatistics, profile: Profile, shortest: float, longest: float
) -> FragmentTags:
    """Return which tags contain fragments, such as cells of a table or names in a reference, and which are fragments.

    The elements of a tag contain fragments if their leaves are usually shorter than `min_leaf_words`; none do where
    that is 0. They are fragments themselves if they are usually shorter than `block_words`, too: rows and cells of a
    table, but no table, and the lines of a poem, but not its stanzas. So are groups of rows
    (`Profile.row_group_tags`), even long ones: the names of their columns may stand outside them. No tables are, nor
    lists of terms (`TERM_LISTS`).

    Args:
        shortest: words of a leaf that is no fragment; longest: words from which on an element is none.
    """
    if shortest <= 0:
        none = read_only(np.zeros(len(elements.tags), np.bool_))
        return FragmentTags(none, none)
    contain_fragments = usual.leaf_words < shortest
    are_short = contain_fragments & (usual.mean_words < longest)
    are_whole, are_groups = map(elements.is_tag, (profile.table_tags | TERM_LISTS, profile.row_group_tags))
    return FragmentTags(read_only(contain_fragments), read_only(are_short & ~are_whole | are_groups))
