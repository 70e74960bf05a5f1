"""Counts the documents that contain each of many query words, or one of the index terms that a word stands for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from engine.array_types import Mask, Numbers
from engine.arrays import distinct
from engine.index.segment import Segment
from engine.text.alternative_terms import EITHER

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
