"""The lengths and letters of terms, by which most terms spelt unlike a word are ruled out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.array_types import Mask
from engine.records import NamedTuple

# A bit for each letter of ASCII; several letters share one, others have none.
BITS = np.where(np.arange(256) < 128, np.left_shift(1, np.arange(256) % 32), 0).astype(np.uint32)


class TermShapes(NamedTuple):
    """Columns of terms, shape (n_terms,): the number of letters, and a bit for each letter of ASCII."""

    lengths: NDArray[np.uint32]
    letters: NDArray[np.uint32]

    def near(self, word: str, edits: int) -> Mask:
        """Return a mask of the terms that may be within so many edits of a word; the others are not."""
        letters = np.bitwise_or.reduce(BITS[np.frombuffer(word.encode(), np.uint8)])
        is_near: Mask = np.abs(self.lengths.astype(np.int64) - len(word)) <= edits
        is_near &= np.bitwise_count(self.letters & ~letters) <= edits
        is_near &= np.bitwise_count(letters & ~self.letters) <= edits
        return is_near


def shapes_of(offsets: NDArray[np.int64], blob: NDArray[np.uint8]) -> TermShapes:
    """Return the shapes of terms in UTF-8, given as offsets, shape (n + 1,), into their joined bytes."""
    if len(offsets) < 2:
        return TermShapes(np.empty(0, np.uint32), np.empty(0, np.uint32))
    lengths = np.add.reduceat((blob & 0xC0) != 0x80, offsets[:-1], dtype=np.uint32)
    return TermShapes(lengths, np.bitwise_or.reduceat(BITS[blob], offsets[:-1]))
