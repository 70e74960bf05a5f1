"""What the elements of each tag usually contain: running text, or fragments such as cells, names and dates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import places_of
from engine.index.segment import Segment

FloatArray = NDArray[np.float64]

# Elements that are counted at a time, at least one document: their columns fit into the caches of a processor.
READ_AT_A_TIME = 2**15


class TagStatistics(NamedTuple):
    """Statistics of the live elements of each tag, by tag number, shape (n_tags,); 0 of a tag without elements.

    They are quotients of integer sums, so they do not depend on segments.

    leaf_words: length of the leaf that contains a word, averaged over the words in the elements of the tag.
    mean_words: words of an element, averaged over the elements of the tag.
    """

    leaf_words: FloatArray
    mean_words: FloatArray


def tag_statistics(sums: FloatArray) -> TagStatistics:
    """Return the statistics of all tags, from their sums."""
    n_words, squares_of_leaves, n_elements = sums
    return TagStatistics(squares_of_leaves / np.maximum(n_words, 1), n_words / np.maximum(n_elements, 1))


def tag_sums(
    segments: Sequence[Segment], tag_numbers: Sequence[NDArray[np.int64]], n_tags: int, live: NDArray[np.bool_] | None
) -> FloatArray:
    """Return sums over the elements of each tag, shape (3, n_tags): words, squared lengths of leaves, elements.

    Args:
        tag_numbers: of each segment, the number among all tags of each of its own.
        live: mask of the documents that are not deleted, of all segments; None if there is no deleted one.
    """
    sums = np.zeros((3, n_tags))  # whole numbers, exact below 2^53
    base = 0
    for segment, numbers in zip(segments, tag_numbers, strict=True):
        for documents in _portions(segment):
            first_row = segment.first_row[documents.start : documents.stop + 1]
            begin, end = int(first_row[0]), int(first_row[-1])
            before = segment.words.slice(begin, end + 1)
            squares_before = np.zeros(len(before), np.int64)
            np.cumsum(np.diff(before) ** 2, out=squares_before[1:])
            tags = numbers[segment.elements.column("tag").slice(begin, end)]
            ends = np.arange(len(tags)) + segment.extents.slice(begin, end)
            words, squares = before[ends] - before[:-1], squares_before[ends] - squares_before[:-1]
            if live is not None:
                is_live = live[base + documents.start : base + documents.stop].repeat(np.diff(first_row))
                tags, words, squares = tags[is_live], words[is_live], squares[is_live]
            sums[0] += np.bincount(tags, words, n_tags)
            sums[1] += np.bincount(tags, squares, n_tags)
            sums[2] += np.bincount(tags, minlength=n_tags)
        base += segment.n_documents
    return sums


def _portions(segment: Segment) -> Iterator[range]:
    """Yield consecutive documents with about READ_AT_A_TIME elements together."""
    portion = segment.first_row // READ_AT_A_TIME
    borders = [0, *(places_of(np.diff(portion[:-1])) + 1).tolist(), segment.n_documents]
    yield from (range(first, end) for first, end in pairwise(borders) if first < end)
