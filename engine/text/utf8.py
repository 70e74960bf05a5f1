"""UTF-8 as arrays of bytes: characters at and before byte offsets, and parts of texts that are decoded alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask, Numbers, distinct, places_of, ranks_of
from engine.kernels.table import compiled, native
from engine.records import NamedTuple

Bytes = NDArray[np.uint8]
Offsets = NDArray[np.int64]

# As signed numbers, the bytes from here on begin a character; the lower ones (0x80 to 0xBF) continue one.
_FIRST_BYTES = -64


def encode(text: str) -> Bytes:
    """Return the UTF-8 bytes of a text; a lone surrogate, which no document can contain, becomes three bytes."""
    return np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)


def characters_before(encoded: Bytes, places: Offsets) -> Offsets:
    """Return the number of characters that begin before each byte offset."""
    continuing = places_of(encoded.view(np.int8) < _FIRST_BYTES)
    return places - ranks_of(continuing, places) if len(continuing) else places


def code_points(encoded: Bytes, places: Offsets) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the code point of the character that begins at each byte offset, and its length in bytes.

    Up to three bytes after an offset are read, so the bytes must be padded if an offset may not begin a character.
    """
    codes = encoded[places].astype(np.int64)
    lengths = np.ones(len(places), np.int64)
    long = places_of(codes >= 0x80)
    if long.size:
        lead = codes[long]
        length = 2 + (lead >= 0xE0) + (lead >= 0xF0)
        code = lead & (0x7F >> length)
        for distance in range(1, 4):
            longer = places_of(length > distance)
            code[longer] = code[longer] << 6 | encoded[places[long[longer]] + distance] & 0x3F
        codes[long], lengths[long] = code, length
    return codes, lengths


def character_starts(encoded: Bytes, places: Offsets) -> Offsets:
    """Return the byte offset at which the character at each byte offset begins."""
    places = places.copy()
    for _ in range(3):  # a character has at most four bytes
        places -= (encoded[places] & 0xC0) == 0x80
    return places


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
        return self._places_of(characters)

    def _places_in_numpy(self, characters: Numbers) -> Numbers:
        numbers = self.characters[:-1].searchsorted(characters, "right") - 1
        places = np.full(len(characters), len(self.encoded))
        for block in distinct(numbers).tolist():
            chosen = places_of(numbers == block)
            begins = np.flatnonzero(_begin_characters(self.encoded[block * BLOCK : (block + 1) * BLOCK]))
            begins = np.append(begins + block * BLOCK, len(self.encoded))
            places[chosen] = begins.take(characters.take(chosen) - self.characters[block], mode="clip")
        return places

    @compiled(_places_in_numpy)
    def _places_of(self, characters: Numbers) -> Numbers:
        return np.frombuffer(native.character_places(self.encoded, self.characters, BLOCK, characters), np.int64)

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


def _text_parts_in_numpy(texts: list[CountedText], numbers: Numbers, spans: Numbers) -> list[str]:
    encoded = [EncodedText(np.frombuffer(data, np.uint8, end - start, start), of) for data, start, end, of in texts]
    return [encoded[number].part(*span) for number, span in zip(numbers.tolist(), spans.tolist(), strict=True)]


@compiled(_text_parts_in_numpy)
def text_parts(texts: list[CountedText], numbers: Numbers, spans: Numbers) -> list[str]:
    """Return parts of texts.

    Args:
        numbers: the text of each part; spans: its start and end (exclusive) there, in characters, shape (n, 2).
    """
    return native.text_parts(texts, BLOCK, numbers, spans)


def _characters_in_numpy(encoded: Bytes) -> Numbers:
    counts = np.add.reduceat(_begin_characters(encoded), np.arange(0, len(encoded), BLOCK), dtype=np.int64)
    return np.append(0, counts.cumsum())


@compiled(_characters_in_numpy)
def characters_of_blocks(encoded: Bytes) -> Numbers:
    """Return the number of characters that begin before each block of BLOCK bytes, then in all."""
    return np.frombuffer(native.block_characters(encoded, BLOCK), np.int64)


def _begin_characters(encoded: Bytes) -> Mask:
    begin: Mask = (encoded & 0xC0) != 0x80
    return begin


# By code point, whether a character is white space; no later one is.
_IS_WHITE = np.array([*map(str.isspace, map(chr, range(0x3001))), False])


def signs_before(text: str) -> NDArray[np.int32]:
    """Return the number of characters that are no white space before each character of a text, and in all of it.

    >>> signs_before("a b").tolist()
    [0, 1, 1, 2]
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return np.append(np.int32(0), (~_IS_WHITE.take(codes, mode="clip")).cumsum(dtype=np.int32))
