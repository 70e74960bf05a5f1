"""A text as UTF-8 bytes, of which parts are decoded: characters are found by counts of blocks."""

from __future__ import annotations

import numpy as np

from engine import kernels
from engine.arrays import Mask, Numbers, distinct, places_of
from engine.records import NamedTuple
from engine.text.utf8 import Bytes, characters_before

# Bytes of a block whose characters are counted together.
BLOCK = 1 << 10

# Bytes, where a text begins and ends in them, and its characters before each block of bytes, then in all.
CountedText = tuple[bytes, int, int, Numbers]


class EncodedText(NamedTuple):
    """UTF-8 text with the number of characters before each block, to convert between byte and character offsets."""

    encoded: Bytes
    characters: Numbers

    @property
    def is_ascii(self) -> bool:
        """Whether each character is a byte."""
        return int(self.characters[-1]) == len(self.encoded)

    def part(self, start: int, end: int) -> str:
        """Return the characters from start to end (exclusive)."""
        first, last = self.places_of(np.array([start, end])).tolist()
        return str(self.encoded.data[first:last], "utf-8", "surrogatepass")

    def places_of(self, characters: Numbers) -> Numbers:
        """Return the byte at which each character begins, by its number; the end of the bytes after the last one."""
        if self.is_ascii:
            return np.minimum(characters, len(self.encoded))
        if kernels.native is not None:
            found = kernels.native.character_places(self.encoded, self.characters, BLOCK, characters)
            return np.frombuffer(found, np.int64)
        numbers = self.characters[:-1].searchsorted(characters, "right") - 1
        places = np.full(len(characters), len(self.encoded))
        for block in distinct(numbers).tolist():
            chosen = places_of(numbers == block)
            begins = np.flatnonzero(_begin_characters(self.encoded[block * BLOCK : (block + 1) * BLOCK]))
            begins = np.append(begins + block * BLOCK, len(self.encoded))
            places[chosen] = begins.take(characters.take(chosen) - self.characters[block], mode="clip")
        return places

    def place_of(self, character: int) -> int:
        """Return the byte at which a character begins, as `places_of`."""
        return int(self.places_of(np.array([character]))[0])

    def character_at(self, place: int) -> int:
        """Return the number of the character that begins at a byte."""
        if self.is_ascii:
            return place
        block = place // BLOCK
        inside = characters_before(self.encoded[block * BLOCK : place], np.array([place - block * BLOCK]))
        return int(self.characters[block] + inside[0])


def text_parts(texts: list[CountedText], numbers: Numbers, spans: Numbers) -> list[str]:
    """Return parts of texts.

    Args:
        numbers: the text of each part; spans: its start and end (exclusive) there, in characters, shape (n, 2).
    """
    if kernels.native is not None:
        found: list[str] = kernels.native.text_parts(texts, BLOCK, numbers, spans)
        return found
    encoded = [EncodedText(np.frombuffer(data, np.uint8, end - start, start), of) for data, start, end, of in texts]
    return [encoded[number].part(*span) for number, span in zip(numbers.tolist(), spans.tolist(), strict=True)]


def characters_of_blocks(encoded: Bytes) -> Numbers:
    """Return the number of characters that begin before each block of BLOCK bytes, then in all."""
    if kernels.native is not None:
        return np.frombuffer(kernels.native.block_characters(encoded, BLOCK), np.int64)
    counts = np.add.reduceat(_begin_characters(encoded), np.arange(0, len(encoded), BLOCK), dtype=np.int64)
    return np.append(0, counts.cumsum())


def _begin_characters(encoded: Bytes) -> Mask:
    begin: Mask = (encoded & 0xC0) != 0x80
    return begin
