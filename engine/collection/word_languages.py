"""The language of every word of a batch: that of the nearest xml:lang above it, else that of its document."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.text.languages import Numbers, language_names, language_number, recognised_languages
from engine.text.vocabulary import Surfaces

Rows = NDArray[np.int64]

XML_LANG = b' xml:lang="'
_VALUE = re.compile(rb'[^"]*')
# Neither the element nor one above it says a language.
OPEN = -1


class WordLanguages(NamedTuple):
    """The language number of every word, and of each document the names of all its languages, joined by blanks."""

    numbers: Numbers
    of_documents: list[str]


def row_languages(markup: bytes, opens: Rows, closes: Rows, end: Rows) -> Numbers:
    """Return the language that xml:lang gives each element, `OPEN` if it gives none.

    Args:
        markup: canonical markup of the batch. opens, closes: byte offsets of the `<` and `>` of start tags.
        end: one past the last row of each subtree.
    """
    languages = np.full(len(end), OPEN, np.int8)
    place = markup.find(XML_LANG)
    while place >= 0:
        row = int(np.searchsorted(opens, place, side="right")) - 1
        if place < closes[row]:  # else it is text
            value = _VALUE.match(markup, place + len(XML_LANG))
            number = language_number(value[0].decode() if value else "")
            languages[row : end[row]] = OPEN if number is None else number
        place = markup.find(XML_LANG, place + 1)
    return languages


def word_languages(surfaces: Surfaces, given: Numbers, documents: Rows, n_documents: int) -> WordLanguages:
    """Return the languages of all words.

    Args:
        given: of each word, the language that xml:lang gives it, or `OPEN`.
        documents: of each word, its document, ascending.
    """
    numbers = given.copy()
    is_open = np.flatnonzero(given == OPEN)
    if len(is_open):
        of_document = recognised_languages(
            surfaces.distinct, surfaces.numbers[is_open], documents[is_open], n_documents
        )
        numbers[is_open] = of_document[documents[is_open]]
    names = language_names()
    found: list[set[str]] = [set() for _ in range(n_documents)]
    used = np.bincount(documents * len(names) + numbers, minlength=n_documents * len(names))
    for key in np.flatnonzero(used).tolist():
        found[key // len(names)].add(names[key % len(names)])
    return WordLanguages(numbers, [" ".join(sorted(each)) for each in found])
