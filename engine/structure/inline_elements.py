"""The words of inline elements that a query asks for by name.

The index stores the words of an inline element with the leaf around it, as text runs on across its tags. Those that
begin inside the element are consecutive words of the leaf; which ones, is found in the leaf's text.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.arrays import Mask, Rows, distinct, is_among, places_of
from engine.index.reader import IndexReader
from engine.index.texts.element_texts import own_offsets, own_texts
from engine.query.query_terms import QueryTerm
from engine.query_limits import check_time
from engine.ranking.matches import phrase_intervals
from engine.records import NamedTuple
from engine.text.utf8 import characters_before, encode


class InlineElements(NamedTuple):
    """Inline elements, ascending, with the numbers of the first of their own words, and of the word after the last.

    The words of elements inside them that are not inline are not their own.
    """

    rows: Rows
    first: Rows
    last: Rows

    def where(self, kept: Mask) -> InlineElements:
        """Return the inline elements at the given positions."""
        return InlineElements(*(column[kept] for column in self))


NONE = InlineElements(*(np.empty(0, np.int64),) * 3)


def own_words(index: IndexReader, rows: Rows) -> InlineElements:
    """Return inline elements (ascending) with their own words."""
    if not len(rows):
        return NONE
    elements = index.elements
    documents = elements.document(rows)
    intervals = [
        _of_document(index, document, rows[documents == document]) for document in distinct(documents).tolist()
    ]
    first, last = np.concatenate(intervals, axis=1)
    return InlineElements(rows, first, last)


def inline_near(index: IndexReader, named: Rows, leaves: Rows) -> InlineElements:
    """Return the inline elements among named ones whose text is part of one of the leaves; all ascending."""
    inline = named.compress(index.elements.is_inline(named))
    return own_words(index, inline.compress(is_among(index.elements.nearest_non_inline(inline), leaves)))


def contain_any(index: IndexReader, inline: InlineElements, terms: Sequence[QueryTerm], documents: Rows) -> Mask:
    """Return which inline elements have one of the terms among their own words."""
    return np.asarray(frequencies(index, inline, terms, documents).any(axis=0))


def frequencies(index: IndexReader, inline: InlineElements, terms: Sequence[QueryTerm], documents: Rows) -> Rows:
    """Return how often each term is among the own words of inline elements, shape (n_terms, n_elements).

    Args:
        documents: those of the elements, and perhaps others, ascending.
    """
    counts = np.zeros((len(terms), len(inline.rows)), np.int64)
    for number, term in enumerate(terms):
        found = phrase_intervals(index.elements, term, documents)
        first, last = np.sort(found.first), np.sort(found.last)  # no occurrence of a term contains another
        counts[number] = np.maximum(last.searchsorted(inline.last) - first.searchsorted(inline.first), 0)
    return counts


def n_words(index: IndexReader, rows: Rows) -> Rows:
    """Return the number of words in each element; of an inline element, the words of its own text."""
    counts = index.elements.n_words(rows)
    places = places_of(index.elements.is_inline(rows))
    if not places.size:
        return counts
    ascending, which = np.unique(rows[places], return_inverse=True)
    inline = own_words(index, ascending)
    counts[places] += (inline.last - inline.first)[which]
    return counts


def _of_document(index: IndexReader, document: int, rows: Rows) -> Rows:
    """Return the first own word of inline elements of one document, and the word after the last, shape (2, n)."""
    check_time()
    elements = index.elements
    leaves = elements.nearest_non_inline(rows)
    spans = index.spans(document, rows)
    found = np.empty((2, len(rows)), np.int64)
    for leaf in distinct(leaves).tolist():
        here = leaves == leaf
        begins = _word_offsets(index, leaf).searchsorted(spans[here].T)
        found[:, here] = begins + elements.first_word(np.array([leaf]))[0]
    return found


def _word_offsets(index: IndexReader, leaf: int) -> Rows:
    """Return where each word of a leaf's own text begins in the document's text; none in an element that is skipped."""
    if not index.elements.n_own_words(np.array([leaf]))[0]:
        return np.empty(0, np.int64)
    encoded = encode(own_texts(index, np.array([leaf]))[0])
    offsets = own_offsets(index, leaf)
    found: Rows = offsets[characters_before(encoded, index.analyser.words(encoded).starts)]
    return found
