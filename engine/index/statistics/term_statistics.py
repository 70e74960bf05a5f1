"""Document frequency, collection frequency and the like of a term."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.index.article_terms import Postings
from engine.index.containment import enclosing_elements
from engine.index.element_store import Elements
from engine.index.segment import Segment
from engine.index.term_expansion import stands_for_several


class TermStatistics:
    """Frequencies of a term in the live documents; each is counted on first use."""

    def __init__(
        self, term: str, postings: Postings, segments: Sequence[Segment], elements: Elements, *, all_live: bool
    ) -> None:
        self._term, self._postings, self._segments, self._elements = term, postings, segments, elements
        self._all_live = all_live

    @property
    def size(self) -> int:
        """Upper bound of the number of cached values, for the cache."""
        return 2 * len(self._postings.documents) + len(self._elements.tags)

    @property
    def document_frequency(self) -> int:
        """Number of documents that contain the term."""
        return len(self._postings.documents)

    @cached_property
    def collection_frequency(self) -> int:
        """Number of occurrences of the term in all documents."""
        return int(self._postings.tf.sum())

    @cached_property
    def leaf_frequency(self) -> int:
        """Number of leaves whose own text contains the term."""
        if not self._all_live or stands_for_several(self._term):
            return len(self._elements.occurrences(self._term, self._postings.documents).rows)
        count = 0
        for segment in self._segments:
            number = segment.terms.term_number(self._term.encode())
            if number >= 0:
                first, end = segment.leaves_of_term.neighbours(number)
                count += end - first
        return count

    @property
    def element_frequency(self) -> float:
        """Number of elements that contain the term."""
        return float(self.element_frequency_by_tag.sum())

    @cached_property
    def element_frequency_by_tag(self) -> NDArray[np.float64]:
        """Number of elements of each tag that contain the term, shape (n_tags,)."""
        leaves = self._elements.occurrences(self._term, self._postings.documents).rows
        tags = self._elements.tag(enclosing_elements(self._elements, leaves))
        return np.bincount(tags, minlength=len(self._elements.tags)).astype(np.float64)
