"""The language of every word of a batch: that of the nearest xml:lang above it, else that of its document.

A language in which hardly a word of a document is written, such as that of a name or a sample, does not count there: a
word of a query is reduced to stems in every language of an index, so that each makes queries broader.
"""

from __future__ import annotations

import numpy as np

from engine.arrays import Rows
from engine.collection.markup.attributes import MarkupAttributes
from engine.records import NamedTuple
from engine.text.languages import Numbers, language_names, language_number, recognised_languages
from engine.text.vocabulary import Surfaces

XML_LANG = "xml:lang"
# Neither the element nor one above it says a language.
OPEN = -1
# Of the words of a document, the share of a language below which it does not count.
LEAST_SHARE = 0.02


class WordLanguages(NamedTuple):
    """The language number of every word, and of each document the names of all its languages, joined by blanks."""

    numbers: Numbers
    of_documents: list[str]


def row_languages(found: MarkupAttributes, end: Rows) -> Numbers:
    """Return the language that xml:lang gives each element, `OPEN` if it gives none.

    Args:
        found: all attributes. end: one past the last row of each subtree.
    """
    languages = np.full(len(end), OPEN, np.int8)
    is_language = np.array([name == XML_LANG for name in found.names], np.bool_)
    places = np.flatnonzero(is_language[found.spelling]) if is_language.any() else np.empty(0, np.int64)
    for row, value in zip(found.rows[places].tolist(), found.values(places), strict=True):
        number = language_number(value)
        languages[row : end[row]] = OPEN if number is None else number
    return languages


def word_languages(surfaces: Surfaces, given: Numbers, documents: Rows, n_documents: int) -> WordLanguages:
    """Return the languages of all words.

    Args:
        given: of each word, the language that xml:lang gives it, or `OPEN`.
        documents: of each word, its document, ascending.
    """
    names = language_names()
    numbers = _without_rare(given, documents, n_documents, len(names))
    is_open = np.flatnonzero(numbers == OPEN)
    if len(is_open):
        of_document = recognised_languages(
            surfaces.distinct, surfaces.numbers[is_open], documents[is_open], n_documents
        )
        numbers[is_open] = of_document[documents[is_open]]
    found: list[set[str]] = [set() for _ in range(n_documents)]
    used = np.bincount(documents * len(names) + numbers, minlength=n_documents * len(names))
    for key in np.flatnonzero(used).tolist():
        found[key // len(names)].add(names[key % len(names)])
    return WordLanguages(numbers, [" ".join(sorted(each)) for each in found])


def _without_rare(given: Numbers, documents: Rows, n_documents: int, n_languages: int) -> Numbers:
    """Return the given languages; that of most words of the document in place of one that few of its words have."""
    n_kinds = n_languages + 1  # the first is OPEN
    kinds = documents * n_kinds + (given - OPEN)
    words = np.bincount(kinds, minlength=n_documents * n_kinds).reshape(n_documents, n_kinds)
    is_rare = words.ravel()[kinds] < LEAST_SHARE * words.sum(axis=1)[documents]
    usual = (words.argmax(axis=1) + OPEN).astype(np.int8)
    return np.where(is_rare, usual[documents], given)
