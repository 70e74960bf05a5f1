"""Postings of terms in documents, across the segments of an open index."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask, Numbers, distinct, places_of, read_only
from engine.columns.cache import SizedCache, capacity_for
from engine.index.elements.element_columns import join
from engine.index.elements.element_store import Elements
from engine.index.postings.article_terms import Postings, expanded
from engine.index.segment import Segment
from engine.index.texts.opening import OPENING_WORDS
from engine.text.alternative_terms import EITHER, is_composed, stands_for_several

# Most document frequencies that are cached: those of a few long queries.
MOST_FREQUENCIES = 2**16
_NONE = np.empty(0, np.int64)


class ArticlePostings:
    """Postings by term, without deleted documents; documents are numbered through all segments.

    Args:
        live: mask of the documents that are not deleted; None if there is no deleted one.
    """

    def __init__(self, segments: Sequence[Segment], elements: Elements, live: Mask | None) -> None:
        self._segments, self._elements, self._live = segments, elements, live
        self._document_base: list[int] = elements.document_base.tolist()  # the first document of each segment
        self._live_of = [
            None if live is None else live[base : base + segment.n_documents]
            for base, segment in zip(self._document_base, segments, strict=False)
        ]
        self._frequencies: SizedCache[tuple[str, ...], NDArray[np.int64]] = SizedCache(len, MOST_FREQUENCIES)
        self._cache: SizedCache[str, Postings] = SizedCache(
            lambda found: sum(map(len, found)) + 1, capacity_for(self._document_base[-1])
        )

    def of(self, term: str) -> Postings:
        """Return the documents that contain a term, ascending, and its frequency in each; empty for an unknown term.

        Several terms that a word of a query stands for are read as one.
        """
        return self._cache.get(term, lambda: self._read(term))

    def document_frequencies(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Return the number of documents that contain each term, shape (n_terms,), read-only."""
        return self._frequencies.get(tuple(terms), lambda: read_only(self._document_frequencies(terms)))

    def _document_frequencies(self, terms: Sequence[str]) -> NDArray[np.int64]:
        found = document_frequencies(terms, self._segments, self._live_of)
        for place, term in enumerate(terms):
            if is_composed(term):
                found[place] = len(self.of(term).documents)
        return found

    def _read(self, term: str) -> Postings:
        if is_composed(term):
            return self._composed(term)
        if stands_for_several(term):
            return _united([self.of(each) for each in self._terms_of(term)])
        found = []
        for base, segment in zip(self._document_base, self._segments, strict=False):
            number = segment.terms.term_number(term.encode())
            if number >= 0:
                columns = [column.astype(np.int64) for column in segment.terms.postings(number)]
                found.append((columns[0] + base, columns[1], columns[2] + base, columns[3]))
        joined = Postings._make(map(join, zip(*found, strict=True)) if found else [_NONE] * 4)
        if self._live is None:
            return joined
        is_live, is_live_opening = self._live[joined.documents], self._live[joined.opening_documents]
        return Postings(
            joined.documents[is_live],
            joined.tf[is_live],
            joined.opening_documents[is_live_opening],
            joined.opening_tf[is_live_opening],
        )

    def _composed(self, word: str) -> Postings:
        """Return the postings of a word that the index has none of: its occurrences are counted."""
        elements = self._elements
        every = np.arange(elements.n_documents) if self._live is None else places_of(self._live)
        numbers = elements.word_numbers(word, every)
        occurrences = elements.occurrences(word, every)
        documents = elements.document(occurrences.rows.repeat(occurrences.tf))
        opening = numbers - elements.first_word(elements.root(documents)) < OPENING_WORDS
        found, counts = np.unique(documents, return_counts=True)
        in_openings, opening_counts = np.unique(documents[opening], return_counts=True)
        return Postings(found, counts.astype(np.int64), in_openings, opening_counts.astype(np.int64))

    def _terms_of(self, word: str) -> list[str]:
        return sorted({term for segment in self._segments for term in expanded(word, segment.terms)})


def _united(parts: Sequence[Postings]) -> Postings:
    """Return the postings of several terms as those of one."""
    whole = _added_up([(part.documents, part.tf) for part in parts])
    return Postings(*whole, *_added_up([(part.opening_documents, part.opening_tf) for part in parts]))


def _added_up(parts: Sequence[tuple[Numbers, Numbers]]) -> tuple[Numbers, Numbers]:
    """Return the documents of several columns, each once, ascending, and the sums of their frequencies."""
    documents, number = np.unique(join([documents for documents, _ in parts]), return_inverse=True)
    return documents, np.bincount(number, join([tf for _, tf in parts]), len(documents)).astype(np.int64)


# Postings that are compared at a time, so that memory does not grow with the number of words.
AT_A_TIME = 2**19


def document_frequencies(words: Sequence[str], segments: Sequence[Segment], live: Sequence[Mask | None]) -> Numbers:
    """Return the number of live documents that contain each word or one of its alternatives, shape (n_words,).

    Args:
        live: for each segment the mask of the documents that are not deleted, None if none is.
    """
    frequencies = np.zeros(len(words), np.int64)
    if not words:
        return frequencies
    alternatives = [word.split(EITHER) for word in words]
    n_alternatives = np.fromiter(map(len, alternatives), np.int64, len(words))
    number_of = {term: number for number, term in enumerate(dict.fromkeys(chain.from_iterable(alternatives)))}
    numbers = np.fromiter(map(number_of.__getitem__, chain.from_iterable(alternatives)), np.int64, n_alternatives.sum())
    word_of = np.arange(len(words)).repeat(n_alternatives)
    terms = [term.encode() for term in number_of]
    for segment, of_segment in zip(segments, live, strict=True):
        rows = segment.terms.rows(terms).take(numbers)
        is_known = rows >= 0
        frequencies += _in_segment(segment, of_segment, word_of[is_known], rows[is_known], len(words))
    return frequencies


def _in_segment(segment: Segment, live: Mask | None, word_of: Numbers, rows: Numbers, n_words: int) -> Numbers:
    """Return the number of live documents of a segment with a term of each word; word_of: ascending, of each term."""
    starts, stops = segment.terms.posting_borders(rows)
    n_postings = stops - starts
    if live is None:  # the postings of a single term need not be read
        is_united = np.bincount(word_of, minlength=n_words).take(word_of) > 1
        found = np.bincount(word_of[~is_united], n_postings[~is_united], n_words).astype(np.int64)
    else:
        is_united = np.ones(len(rows), np.bool_)
        found = np.zeros(n_words, np.int64)
    word_of, starts, stops, n_postings = (each[is_united] for each in (word_of, starts, stops, n_postings))
    is_last = np.append(word_of[1:] != word_of[:-1], True)[: len(word_of)]
    before = n_postings.cumsum() - n_postings
    begin = 0
    for end in (np.flatnonzero(is_last) + 1).tolist():  # all terms of a word together
        if end == len(word_of) or before[end] - before[begin] >= AT_A_TIME:
            chosen = slice(begin, end)
            documents = segment.terms.documents(starts[chosen], stops[chosen])
            of_words = word_of[chosen].repeat(n_postings[chosen])
            if live is not None:
                is_live = live[documents]
                documents, of_words = documents[is_live], of_words[is_live]
            pairs = distinct(of_words * segment.n_documents + documents)
            found += np.bincount(pairs // segment.n_documents, minlength=n_words)
            begin = end
    return found
