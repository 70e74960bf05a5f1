"""Long attribute values as the index stores them: their beginning and a digest, by which they can be compared."""

from __future__ import annotations

import hashlib
import re

# Longest value that is stored whole if the profile names no attributes, in bytes of UTF-8 without needless white space.
LONGEST = 128
# Between beginning and digest; XML 1.0 does not allow this character in documents.
MARK = "\1"
_DIGEST_BYTES = 16
# Bytes of a long value that are stored.
BEGINNING = LONGEST - len(MARK) - 2 * _DIGEST_BYTES
_BROKEN_WORD = re.compile(r"(?<=\W)\w+$")


def normalised(value: str) -> str:
    """Return a value with white space collapsed and stripped, as values are compared."""
    return " ".join(value.split())


def stored(value: str) -> str:
    """Return the stored form of a value: of a long one, its beginning and a digest, `LONGEST` bytes together.

    >>> stored("note"), len(stored("x" * 129)), stored("x" * 129) == stored("x" * 130)
    ('note', 128, False)
    """
    encoded = normalised(value).encode()
    if len(encoded) <= LONGEST:
        return value if len(value.encode()) <= LONGEST else encoded.decode()
    return encoded[:BEGINNING].decode(errors="ignore") + MARK + _digest(encoded)


def beginning(value: str) -> str:
    """Return the known text of a stored value, of a long one without the word broken off at its end."""
    begin, mark, _ = value.partition(MARK)
    return _BROKEN_WORD.sub("", begin) if mark else value


def comparable(value: str, other: str) -> tuple[str, str]:
    """Return a stored value and a text to compare it with, both normalised; equal if they are, in order else.

    Of texts that are equal in what is known of the long one, it counts as the first.
    """
    begin, mark, digest = value.partition(MARK)
    text = normalised(other)
    if not mark:
        return normalised(value), text
    return (text if _digest(text.encode()) == digest else begin), text


def _digest(encoded: bytes) -> str:
    return hashlib.blake2b(encoded, digest_size=_DIGEST_BYTES).hexdigest()
