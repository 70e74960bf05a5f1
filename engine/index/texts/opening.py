"""The opening of a document: its first words, which name its subject, as titles and abstracts do.

It shows better than the whole text whether the document is about what a query asks (`engine.ranking.articles`). No
markup is needed for it: a document without marked titles has an opening, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.arrays import Numbers, ranges

if TYPE_CHECKING:  # a search does not read markup
    from engine.collection.markup.flat_documents import FlatDocuments

# Words of an opening; stop words count, words in skipped elements do not.
OPENING_WORDS = 50


def opening_frequencies(flat: FlatDocuments, rank: Numbers, documents: Numbers, firsts: Numbers) -> Numbers:
    """Return how often the opening of the document of each posting contains its term, shape (n_postings,).

    Args:
        rank: the place of each term among the sorted ones. documents: of each posting. firsts: the first posting of
        each sorted term, then the number of postings.
    """
    begins = flat.first_words[flat.first_rows]
    n_words = np.minimum(np.diff(begins), OPENING_WORDS)
    n_documents = len(n_words)
    terms = flat.word_terms[ranges(begins[:-1], n_words)]
    is_indexed = terms >= 0
    places = rank[terms[is_indexed]] * n_documents + np.arange(n_documents).repeat(n_words)[is_indexed]
    found, counts = np.unique(places, return_counts=True)
    of_postings = np.arange(len(firsts) - 1).repeat(np.diff(firsts)) * n_documents + documents
    frequencies = np.zeros(len(documents), np.int64)
    frequencies[of_postings.searchsorted(found)] = counts
    return frequencies
