"""Document frequency, collection frequency and the like of a term."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from engine.array_types import FloatArray
from engine.index.elements.containment import enclosing_elements
from engine.index.elements.element_store import Elements
from engine.index.postings.article_postings import ArticlePostings
from engine.index.postings.article_terms import Postings, stands_for_several
from engine.index.segment import Segment

# Cached for a term beside its frequencies by tag: the other frequencies, and objects that hold them.
N_NUMBERS = 32


class TermStatistics:
    """Frequencies of a term in the live documents; each is counted on first use."""

    def __init__(
        self, term: str, postings: ArticlePostings, segments: Sequence[Segment], elements: Elements, *, all_live: bool
    ) -> None:
        self._term, self._segments, self._elements, self._all_live = term, segments, elements, all_live
        self._postings_of = postings.of

    @property
    def size(self) -> int:
        """Upper bound of the number of cached values, for the cache."""
        return N_NUMBERS + len(self._elements.tags)

    @property
    def _postings(self) -> Postings:
        return self._postings_of(self._term)

    @cached_property
    def document_frequency(self) -> int:
        """Number of documents that contain the term."""
        return len(self._postings.documents)

    @cached_property
    def collection_frequency(self) -> int:
        """Number of occurrences of the term in all documents."""
        return int(self._postings.tf.sum())

    @property
    def opening_frequency(self) -> int:
        """Number of documents whose opening contains the term."""
        return len(self._postings.opening_documents)

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
    def element_frequency_by_tag(self) -> FloatArray:
        """Number of elements of each tag that contain the term, shape (n_tags,)."""
        leaves = self._elements.occurrences(self._term, self._postings.documents).rows
        tags = self._elements.tag(enclosing_elements(self._elements, leaves))
        return np.bincount(tags, minlength=len(self._elements.tags)).astype(np.float64)
