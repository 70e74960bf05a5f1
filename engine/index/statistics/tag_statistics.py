"""What the elements of each tag usually contain: running text, or fragments such as cells, names and dates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.index.segment import Segment

FloatArray = NDArray[np.float64]


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
    segments: Sequence[Segment],
    tag_numbers: Sequence[NDArray[np.int64]],
    n_tags: int,
    live: NDArray[np.bool_] | None,
) -> FloatArray:
    """Return sums over the elements of each tag, shape (3, n_tags): words, squared lengths of leaves, elements.

    Args:
        tag_numbers: of each segment, the number among all tags of each of its own.
        live: mask of the documents that are not deleted, of all segments; None if there is no deleted one.
    """
    sums = np.zeros((3, n_tags))  # whole numbers, exact below 2^53
    first = 0
    for segment, numbers in zip(segments, tag_numbers, strict=True):
        before = segment.words.all().astype(np.int64)
        squares_before = np.zeros(len(before), np.int64)
        np.cumsum(np.diff(before) ** 2, out=squares_before[1:])
        tags = numbers[segment.elements.column("tag").all()]
        ends = np.arange(len(tags)) + segment.extents.all()
        words, squares = before[ends] - before[:-1], squares_before[ends] - squares_before[:-1]
        if live is not None:
            is_live = np.repeat(live[first : first + segment.n_documents], np.diff(segment.first_row))
            tags, words, squares = tags[is_live], words[is_live], squares[is_live]
        first += segment.n_documents
        sums[0] += np.bincount(tags, words, n_tags)
        sums[1] += np.bincount(tags, squares, n_tags)
        sums[2] += np.bincount(tags, minlength=n_tags)
    return sums
