"""UTF-8 as arrays of bytes: characters at and before byte offsets, for a whole batch of offsets at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.arrays import places_of, ranks_of

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
