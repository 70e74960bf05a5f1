"""Documents whose title is the whole query: who types the name of a page looks for that page.

The titles of a document are its first heading, unless that names a part of it (`document_title`), and those beside it,
since a reference page may have several names. A title is exact if its words are those of the query, all of them, in
their order; of stop words of the index, any one may stand for another. All elements of a document with such a title
score exact_title_weight times the weight of the query more:

    Σ idf(n, n_t)     over the words of the query; n leaves, n_t with the word

That is the same number for all documents: inside the page of a name, its words are frequent and would weigh little.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from engine.array_types import FloatArray, Mask, Rows
from engine.arrays import distinct
from engine.index.elements.containment import is_member
from engine.index.elements.heading_scopes import is_heading
from engine.index.elements.titles import LONGEST_TITLE
from engine.index.reader import IndexReader
from engine.index.texts.own_text import own_text
from engine.presentation.document_title import titles_of_documents
from engine.query.query import Query
from engine.query_limits import check_time
from engine.similarity.idf import idf


def exact_title_scores(
    index: IndexReader, query: Query, documents: Rows, leaves: Mapping[str, Rows] = MappingProxyType({})
) -> FloatArray:
    """Return the weight of the query for each document (ascending) that it is a title of, 0 for others.

    Args:
        leaves: those of these documents with some of the words, where they are known.
    """
    titled = titled_documents(index, query, documents, leaves) if len(documents) else documents
    if not len(titled):
        return np.zeros(len(documents))
    n, statistics = index.statistics.n_leaves, index.statistics
    frequencies = [statistics.term(word).leaf_frequency for word in query.word_counts]
    weight = math.fsum(idf(n, n_t) for n_t in frequencies)
    return np.where(is_member(documents, titled), weight, 0.0)


def titled_documents(index: IndexReader, query: Query, documents: Rows, leaves: Mapping[str, Rows]) -> Rows:
    """Return those of some documents (ascending) that have the whole query as a title, ascending."""
    elements = index.elements
    exact = _exact_headings(index, query, documents, leaves)
    if not len(exact):
        return exact
    found = distinct(elements.document(exact))
    roots = elements.root(found)
    tags = [number for number, tag in enumerate(elements.tags) if tag in index.profile.titles]
    headings = elements.with_tags(tags, found)
    is_title = (elements.n_words(headings) <= LONGEST_TITLE) & (elements.parent(headings) != headings)
    title = titles_of_documents(elements, found, headings.compress(is_title))
    above = np.where(title < 0, -1, elements.parent(np.maximum(title, 0)))
    place = roots.searchsorted(exact, "right") - 1
    titles = exact.compress(elements.parent(exact) == above.take(place))
    if None in query.whole:
        titles = titles.compress(_has_stop_words_of(index, query, titles))
    return distinct(elements.document(titles))


def _has_stop_words_of(index: IndexReader, query: Query, titles: Rows) -> Mask:
    """Return which titles have stop words where the query has them, and nowhere else, read from their text."""
    texts = []
    for document, row in zip(index.elements.document(titles).tolist(), titles.tolist(), strict=True):
        check_time()
        texts.append(own_text(index, document, row))
    wanted = [word is None for word in query.whole]
    found = ([word is None for word in words] == wanted for words in index.analyser.terms_of_each(texts))
    return np.fromiter(found, np.bool_, len(titles))


def _exact_headings(index: IndexReader, query: Query, documents: Rows, leaves: Mapping[str, Rows]) -> Rows:
    """Return the headings in some documents (ascending) whose words are those of the whole query, ascending.

    In the place of a stop word there may be any word.
    """
    elements, statistics = index.elements, index.statistics
    known = [word for word in query.word_counts if word in query.whole]
    if not known or index.profile.titles.isdisjoint(elements.tags):
        return np.empty(0, np.int64)
    rarest, *others = sorted(known, key=lambda word: statistics.term(word).leaf_frequency)
    rows = leaves[rarest] if rarest in leaves else elements.occurrences(rarest, documents).rows
    for each in others:
        if len(rows) and each in leaves:
            rows = rows.compress(is_member(rows, leaves[each]))
    if not len(rows):
        return rows
    rows = rows.compress(is_heading(elements, rows, index.profile.titles))
    rows = rows.compress((elements.n_own_words(rows) == len(query.whole)) & (elements.parent(rows) != rows))
    for place, word in enumerate(query.whole):
        if word is not None and len(rows):
            numbers = elements.word_numbers(word, distinct(elements.document(rows)))
            rows = rows.compress(is_member(elements.first_word(rows) + place, numbers))
    return rows
