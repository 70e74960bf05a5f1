"""Statistics of the whole collection: counts, mean lengths, and the statistics of terms, units and vectors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import FloatArray, Mask, short_mantissas
from engine.columns.cache import SizedCache
from engine.index.elements.containment import enclosing_elements
from engine.index.elements.element_store import Elements
from engine.index.manifest import Totals
from engine.index.postings.article_postings import ArticlePostings
from engine.index.postings.article_terms import Postings
from engine.index.segment import Segment
from engine.index.statistics.tag_sums import (
    ELEMENTS,
    N_SUMS,
    TagStatistics,
    block_words,
    sums_of_segment,
    tag_statistics,
)
from engine.index.statistics.unit_statistics import UnitStatistics
from engine.index.statistics.vector_statistics import VectorStatistics
from engine.text.alternative_terms import stands_for_several
from engine.threads import cached_property

# Cached for a term beside its frequencies by tag: the other frequencies, and objects that hold them.
N_NUMBERS = 32
# Words of a block as which shorter texts are scored, at least, and the share of the mean document that it has at most.
LEAST_BLOCK, OF_DOCUMENT = 25.0, 0.1


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

    @cached_property
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


class CollectionStatistics:
    """Statistics of the live documents of an index; each is computed on first use, then cached.

    Nothing here refers to the reader, so the caches are freed with it.

    Args:
        live: mask of the documents that are not deleted; None if there is no deleted one.
        totals: sums over the live documents, from the manifest.
        has_stop_words: whether the analyser drops words, so that an element has fewer terms than words.
    """

    def __init__(
        self,
        segments: Sequence[Segment],
        elements: Elements,
        postings: ArticlePostings,
        live: Mask | None,
        totals: Totals,
        *,
        has_stop_words: bool,
    ) -> None:
        self._segments, self._elements, self._postings, self.live = segments, elements, postings, live
        self.n_documents = totals.documents
        self.n_tokens = totals.tokens
        self._mean_weight = totals.mean_weight
        self.units = UnitStatistics(segments, elements, live, totals, has_stop_words=has_stop_words)
        self._terms: SizedCache[str, TermStatistics] = SizedCache(lambda term: term.size)

    def term(self, term: str) -> TermStatistics:
        """Return the statistics of a term; all are 0 for an unknown one."""
        return self._terms.get(term, lambda: self._term(term))

    def _term(self, term: str) -> TermStatistics:
        return TermStatistics(term, self._postings, self._segments, self._elements, all_live=self.live is None)

    @cached_property
    def vectors(self) -> VectorStatistics:
        """Statistics that need all terms of each unit."""
        return VectorStatistics(self._segments, self._elements, self.units)

    @cached_property
    def mean_weight(self) -> float:
        """Mean of the vector norms W_d of the live documents."""
        if self._mean_weight is not None or not self.n_documents:
            return self._mean_weight or 0.0
        live = self.weights if self.live is None else self.weights[self.live]
        return math.fsum(live.tolist()) / self.n_documents

    @property
    def mean_length(self) -> float:
        """Mean length of the documents in tokens."""
        return self.n_tokens / self.n_documents

    @cached_property
    def lengths(self) -> FloatArray:
        """Length of each document in tokens."""
        return self._document_column("length_tokens")

    @cached_property
    def weights(self) -> FloatArray:
        """Vector norm W_d of each document, for term weights 1 + ln f."""
        return self._document_column("weight")

    @cached_property
    def n_leaves(self) -> int:
        """Number of leaves: elements whose own text contains a term."""
        return self._live_sum([segment.elements.column("leaf_count").all() for segment in self._segments])

    @cached_property
    def n_words(self) -> int:
        """Number of words, stop words included; `n_tokens` excludes them."""
        return self._live_sum([np.diff(segment.words.take(segment.first_row)) for segment in self._segments])

    @cached_property
    def block_words(self) -> float:
        """Length of a text block in words; see `engine.index.statistics.tag_sums.block_words`."""
        return block_words(self._sums_of_all_tags)

    @cached_property
    def least_block_words(self) -> float:
        """The length by which shorter elements are scored: `block_words`, or more where most texts are shorter.

        It is LEAST_BLOCK then, but at most OF_DOCUMENT of the mean document. Among codes and cells, one of two words
        would else score as high as the section that answers.
        """
        return max(self.block_words, min(LEAST_BLOCK, OF_DOCUMENT * self.n_tokens / max(self.n_documents, 1)))

    @property
    def _sums_of_all_tags(self) -> NDArray[np.int64]:
        return self.tag_sums

    @cached_property
    def tags(self) -> TagStatistics:
        """The usual content of the elements of each tag: running text or fragments."""
        return tag_statistics(self.tag_sums)

    @cached_property
    def tag_sums(self) -> NDArray[np.int64]:
        """Sums over the elements of each tag, shape (N_SUMS, n_tags); see `engine.index.statistics.tag_sums`."""
        elements = self._elements
        sums = np.zeros((N_SUMS, len(elements.tags)), np.int64)
        for number, segment in enumerate(self._segments):
            base = int(elements.document_base[number])
            live = None if self.live is None else self.live[base : base + segment.n_documents]
            sums[:, elements.tag_numbers_of_segments[number]] += sums_of_segment(segment, live)
        return sums

    @property
    def tag_frequencies(self) -> dict[str, int]:
        """The number of elements of each tag that any has."""
        numbers = zip(self._elements.tags, self.tag_sums[ELEMENTS].tolist(), strict=True)
        return {tag: number for tag, number in numbers if number}

    def prepare(self, terms: Sequence[str]) -> None:
        """Fetch the statistics of several terms at once; does nothing for an index without other shards."""

    def mean_weight_of(self, bits: int) -> float:
        """Return the mean of the vector norms W_d, each rounded to a mantissa of `bits` bits; 0 for all bits."""
        return self.mean_weight if not bits else math.fsum(self.live_weights(bits)) / self.n_documents

    def live_weights(self, bits: int) -> list[float]:
        """Return the vector norms W_d of the live documents, each rounded to a mantissa of `bits` bits."""
        stored = short_mantissas(self.weights, bits)
        live: list[float] = (stored if self.live is None else stored[self.live]).tolist()
        return live

    @cached_property
    def mean_density(self) -> float:
        """Words per element."""
        n_elements = self._live_sum([np.diff(segment.first_row) for segment in self._segments])
        return self.n_words / max(n_elements, 1)

    def _document_column(self, name: str) -> FloatArray:
        columns = [segment.articles.column(name).all().astype(np.float64) for segment in self._segments]
        return np.concatenate([np.empty(0), *columns])

    def _live_sum(self, columns: Sequence[NDArray[Any]]) -> int:
        values = np.concatenate([np.empty(0, np.int64), *columns])
        return int((values if self.live is None else values[self.live]).sum())
