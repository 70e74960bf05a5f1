"""The titles of an open index: the elements with a tag that its profile calls a title, and how many words they have.

Which tags are titles is in `engine/collection/profiles/profile.py`. An element with such a tag and more than
LONGEST_TITLE words is none: a part of a law is called a title, too.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

import numpy as np

from engine.array_types import Mask, Rows
from engine.arrays import places_of
from engine.index.elements.element_store import Elements
from engine.index.elements.tag_rows import MOST_CACHED
from engine.records import NamedTuple

NO_ROW = np.iinfo(np.int64).max  # after every row
LONGEST_TITLE = 100  # words
EVERYTHING = 1.0  # the share that no element exceeds
LEAST_OF_TITLES = 0.2  # the share of words in titles above which a document may consist of titles


class Titles(NamedTuple):
    """Titles in no other title, ascending; no roots, no inline elements; columns of shape (n + 1,).

    rows: the titles, and NO_ROW. ends_before: one past the last row of the subtree of the title before each; 0 before
    the first. words_before: the number of words in the titles before each.
    """

    rows: Rows
    ends_before: Rows
    words_before: Rows

    def fill(self, rows: Rows, ends: Rows, words: Rows, share: float) -> Mask:
        """Return which elements are a title, lie in one, or have more than a share of their words in titles.

        Args:
            rows, ends: elements, and one past the last row of the subtree of each; words: those of the subtree.
        """
        first = self.rows.searchsorted(rows)
        following = self.rows.take(first)
        found: Mask = (self.ends_before.take(first) > rows) | (following == rows)
        around = places_of(~found & (following < ends))
        last = self.rows.searchsorted(ends.take(around))
        of_titles = self.words_before.take(last) - self.words_before.take(first.take(around))
        found[around] = of_titles > share * words.take(around)
        return found


class TitleStore:
    """Finds the titles of documents; of an index that is not large, all of them once."""

    def __init__(self, elements: Elements, tags: Collection[str]) -> None:
        self._elements = elements
        self._numbers = sorted(elements.tag_numbers[tag] for tag in tags if tag in elements.tag_numbers)

    def of(self, documents: Rows) -> Titles:
        """Return the titles of some documents (ascending), and perhaps of others."""
        is_large = self._elements.row_base[-1] > MOST_CACHED
        return self._find(documents) if is_large else self._all

    def are_most(self, rows: Rows, ends: Rows, words: Rows, documents: Rows, document: Rows, share: float) -> Mask:
        """Return which elements have more than a share of their words in titles, while their documents have not.

        A document with at most LEAST_OF_TITLES of its words in titles never counts as one of titles.

        Args:
            rows, ends, words: as for `Titles.fill`. documents: ascending; document: the place of each element's one.
        """
        if share >= EVERYTHING or not self._numbers or not len(rows):
            return np.zeros(len(rows), np.bool_)
        elements, titles = self._elements, self.of(documents)
        roots, root_ends = elements.root(documents), elements.document_end(documents)
        least = max(share, LEAST_OF_TITLES)
        is_of_titles = titles.fill(roots, root_ends, elements.n_words(roots), least)
        return titles.fill(rows, ends, words, share) & ~is_of_titles.take(document)

    @cached_property
    def _all(self) -> Titles:
        return self._find(np.arange(self._elements.document_base[-1]))

    def _find(self, documents: Rows) -> Titles:
        elements = self._elements
        rows = elements.with_tags(self._numbers, documents)
        rows = rows.compress(~elements.is_inline(rows) & (elements.parent(rows) != rows))
        rows = rows.compress(elements.n_words(rows) <= LONGEST_TITLE)
        furthest = np.maximum.accumulate(np.append(0, elements.end(rows)))[:-1]
        rows = rows.compress(rows >= furthest)
        ends = elements.end(rows)
        words_before = np.append(0, np.cumsum(elements.n_words(rows)))
        return Titles(np.append(rows, NO_ROW), np.append(0, ends), words_before)
