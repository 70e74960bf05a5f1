"""The titles of a document, as breadcrumbs look them up, and what counts as one.

Which tags are titles is in `engine/collection/profiles/profile.py`. An element with such a tag and more than
LONGEST_TITLE words is none: a part of a law is called a title, too.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.records import NamedTuple

LONGEST_TITLE = 100  # words
MOST_OF_TITLES = 0.2  # the share of words in titles above which a text is mostly titles


class DocumentTitles(NamedTuple):
    """The titles of a document, as rows.

    first: its first title, -1 without any. of_parents: elements -> their first child that is a title, else the first
    that is a label. headings: those with a rank, each after the first and one past the last row of what it is the title
    of, in document order. headers: tables -> their header rows. labels: the labels among the values of `of_parents`.
    """

    first: int
    of_parents: Mapping[int, int]
    headings: tuple[tuple[int, int, int], ...]
    headers: Mapping[int, tuple[int, ...]]
    labels: frozenset[int] = frozenset()

    @property
    def size(self) -> int:
        """Memory in numbers of eight bytes, about."""
        return 16 + 12 * len(self.of_parents) + 24 * len(self.headings) + 16 * len(self.headers)
