"""What the elements of each tag usually contain: running text, or fragments such as cells, names and dates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.array_types import FloatArray, Mask
from engine.index.statistics.tag_sums import ELEMENTS, SQUARED_LEAVES, UNDIVIDED_TEXTS, WORDS
from engine.records import NamedTuple


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


def tag_statistics(sums: NDArray[np.int64]) -> TagStatistics:
    """Return the statistics of all tags, from their sums (`engine.index.statistics.tag_sums`)."""
    n_words = sums[WORDS]
    leaf_words, mean_words = sums[SQUARED_LEAVES] / np.maximum(n_words, 1), n_words / np.maximum(sums[ELEMENTS], 1)
    return TagStatistics(leaf_words, mean_words, sums[UNDIVIDED_TEXTS] > 0)
