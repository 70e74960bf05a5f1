"""The element table: columns that scores need of every element, beside the tree and the tags.

    subtree_words   words in the subtree of each element, a column of mostly small numbers
    kind            what each element is for scores, a byte of the parts below

The table is made when a segment is written, by the profile of the index. Settings are masks over it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask, Rows, places_of
from engine.records import NamedTuple

INLINE = 1  # its text belongs to the element around it
# A title, in one, or with more than a share of its words in titles, in a document that is not mostly titles itself; a
# caption, or a lead-in, that can be answered with what it is of.
MOSTLY_TITLES = 2
# What it is a heading of, times HEADING: 0 of nothing; TITLE by its tag, of the element around it, or of what follows
# it; HEADER_ROW plus the number of elements up to its table, inline ones not counted. HEADINGS are the bits.
HEADING, HEADINGS = 4, 4 * 7
TITLE, HEADER_ROW = 1, 1
# Of a group of rows around a header row, the number of elements up to its table, times GROUP; 0 of other elements.
GROUP = 32


class TableMask(NamedTuple):
    """Which elements count: those of `min_words` words or more, roots, and, if they count, headings and header rows of
    tables, with the groups of rows around these; none inline.

    neighbour_words: words of neighbours, at least.
    """

    min_words: float = 0.0
    neighbour_words: float = 0.0
    with_headings: bool = False
    with_header_rows: bool = False

    def apply(
        self, kinds: NDArray[np.uint8], words: Rows, around: Rows, is_root: Mask
    ) -> tuple[NDArray[np.uint8], Mask]:
        """Return how many elements up is the one that each is a heading of, 0 for no heading, and which count.

        Args:
            kinds, words, is_root: of some elements and all around them. around: the place of the nearest element
                around each that is not inline; a root is its own.
        """
        levels = np.zeros(len(kinds), np.uint8)
        is_kept = is_root | (words >= self.min_words)
        if self.with_headings:
            headings = (kinds & HEADINGS) // HEADING
            levels[headings == TITLE] = 1
            if self.with_header_rows:
                of_rows = np.maximum(headings, HEADER_ROW) - HEADER_ROW
                up = np.maximum(of_rows, kinds // GROUP)
                places = tables = places_of(up)
                for level in range(int(up.max(initial=0))):
                    tables = np.where(up.take(places) > level, around.take(tables), tables)
                places = places.compress(words.take(tables) >= self.min_words)
                levels[places] = np.maximum(levels.take(places), of_rows.take(places))
                is_kept[places] = True
            is_kept |= levels > 0
        return levels, is_kept & (kinds & INLINE == 0)
