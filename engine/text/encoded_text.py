"""A long text as UTF-8 bytes, of which parts are decoded: characters are found by counts of blocks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.records import NamedTuple
from engine.text.utf8 import Bytes, characters_before

# Bytes of a block whose characters are counted together.
BLOCK = 1 << 15
# The bytes from here on are those of characters of several bytes.
FIRST_LONG = 0x80


class EncodedText(NamedTuple):
    """UTF-8 bytes, and the number of characters that begin before each block of them, then in all."""

    encoded: Bytes
    characters: NDArray[np.int64]

    @property
    def is_ascii(self) -> bool:
        """Whether each character is a byte."""
        return int(self.characters[-1]) == len(self.encoded)

    def part(self, start: int, end: int) -> str:
        """Return the characters from start to end (exclusive)."""
        return self.encoded[self.place_of(start) : self.place_of(end)].tobytes().decode("utf-8", "surrogatepass")

    def place_of(self, character: int) -> int:
        """Return the byte at which a character begins, by its number; the end of the bytes after the last one."""
        if self.is_ascii or character >= self.characters[-1]:
            return min(character, len(self.encoded)) if self.is_ascii else len(self.encoded)
        block = int(self.characters.searchsorted(character, "right")) - 1
        begins = np.flatnonzero(_begin_characters(self.encoded[block * BLOCK : (block + 1) * BLOCK]))
        return block * BLOCK + int(begins[character - self.characters[block]])

    def character_at(self, place: int) -> int:
        """Return the number of the character that begins at a byte."""
        if self.is_ascii:
            return place
        block = place // BLOCK
        inside = characters_before(self.encoded[block * BLOCK : place], np.array([place - block * BLOCK]))
        return int(self.characters[block] + inside[0])


def characters_of_blocks(encoded: Bytes) -> NDArray[np.int64]:
    """Return the number of characters that begin before each block of BLOCK bytes, then in all."""
    if encoded.max(initial=0) < FIRST_LONG:
        return np.minimum(np.arange(0, len(encoded) + BLOCK, BLOCK), len(encoded))
    counts = [np.count_nonzero(_begin_characters(encoded[at : at + BLOCK])) for at in range(0, len(encoded), BLOCK)]
    return np.cumsum([0, *counts])


def _begin_characters(encoded: Bytes) -> NDArray[np.bool_]:
    begin: NDArray[np.bool_] = (encoded & 0xC0) != 0x80
    return begin
