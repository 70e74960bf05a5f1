"""XML documents one after another in a file, as offices and exports write them: each begins with an XML declaration.

A declaration inside a comment or a CDATA section begins no document, nor does one in the middle of a text.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import BinaryIO

from engine.collection.limits import MEGABYTE, limit_hint
from engine.collection.sources.document_entry import DocumentEntry
from engine.errors import CollectionError
from engine.records import NamedTuple
from engine.system.platform import open_regular

# Bytes of a large file that are read at once.
BLOCK = MEGABYTE

Ranges = list[tuple[int, int]]

_FIRST, _BYTE_ORDER_MARK = b"<?xml", b"\xef\xbb\xbf"
_MARK = re.compile(rb"<(?:\?xml|!--|!\[CDATA\[)")
_CLOSING = {b"<!--": b"-->", b"<![CDATA[": b"]]>"}
_LONGEST_MARK = 9
_DECLARATION = re.compile(rb"<\?xml[ \t\r\n]{1,100}version[ \t\r\n]{0,100}=")
_LONGEST_DECLARATION = 213
# Bytes before a declaration in which the end of the document before it is looked for.
_WHITE = 4096


class FileContents(NamedTuple):
    """Where each document of a file begins and ends, in bytes; what reads such a range; the digest of the file."""

    ranges: Ranges
    read: Callable[[int, int], bytes]
    digest: bytes


def content_digest(raw: bytes) -> bytes:
    """Return the digest of a file's bytes; one with a new time but an equal digest has not changed."""
    return _hash(raw).digest()


def document_ranges(data: bytes) -> Ranges:
    """Return where each document of a file begins and ends, in bytes: one, unless there are further declarations.

    >>> document_ranges(b"<?xml version='1.0'?><a/>\\n<?xml version='1.0'?><b/>")
    [(0, 26), (26, 51)]
    """
    starts = [0]
    if data.find(_FIRST, 1) >= 0:
        starts += (end for is_start, end in _ends([data]) if is_start)
    return list(zip(starts, [*starts[1:], len(data)], strict=True))


@contextmanager
def contents(entry: DocumentEntry, limit: int) -> Iterator[FileContents]:
    """Yield the documents of a file, of which each, and no larger file of one document, is read at once.

    Of a file that is larger than the limit no more is read than shows a document of it that is, too. It is not mapped:
    a file that another program shortens meanwhile would end this process.

    Raises: CollectionError if the file cannot be read, or a document of it is larger than the limit.
    """
    place = entry.byte_range
    if place.is_compressed or place.length >= 0 or place.copy or entry.size <= limit:
        data = entry.read(limit)
        yield FileContents(document_ranges(data), lambda begin, end: data[begin:end], content_digest(data))
        return
    try:
        file = open_regular(place.path, follow=True)
    except OSError as error:
        raise _unreadable(entry, error) from error
    with file:
        yield _large_contents(entry, file, limit)


def _large_contents(entry: DocumentEntry, file: BinaryIO, limit: int) -> FileContents:
    found, starts, end = _hash(), [0], 0

    def blocks() -> Iterator[bytes]:
        while block := file.read(BLOCK):
            found.update(block)
            yield block

    try:
        for is_start, end in _ends(blocks()):
            if end - starts[-1] > limit:
                if len(starts) == 1 and not is_start:
                    entry.read(limit)  # says that it is too long, unless it has been shortened
                raise CollectionError(
                    f"{entry.name}: document {len(starts)} has more than {limit:,} bytes of XML, "
                    f"{limit_hint('max_file_bytes')}: split it."
                )
            if is_start:
                starts.append(end)
    except OSError as error:
        raise _unreadable(entry, error) from error

    def read(begin: int, end: int) -> bytes:
        try:
            file.seek(begin)
            data = file.read(end - begin)
        except OSError as error:
            raise _unreadable(entry, error) from error
        if len(data) < end - begin:
            raise CollectionError(f"{entry.name}: it ends early; it may have changed while it was read.")
        return data

    return FileContents(list(zip(starts, [*starts[1:], end], strict=True)), read, found.digest())


def _ends(blocks: Iterable[bytes]) -> Iterator[tuple[bool, int]]:
    """Yield where a document ends, and whether another one begins there; else up to where it has no end."""
    data, before, place, closing = b"", 0, 0, b""  # bytes that are kept, and how many were before them
    for block in chain(blocks, [b""]):
        data += block
        while True:
            if closing:
                end = data.find(closing, place)
                if end < 0:
                    place = max(place, len(data) - len(closing) + 1)
                    break
                place, closing = end + len(closing), b""
            mark = _MARK.search(data, place)
            if mark is None:
                place = max(place, len(data) - _LONGEST_MARK + 1)
                break
            if mark[0] != _FIRST:
                place, closing = mark.end(), _CLOSING[mark[0]]
                continue
            place = mark.start()
            if block and len(data) - place < _LONGEST_DECLARATION:
                break  # the next block may complete it
            if _DECLARATION.match(data, place):
                start = place - len(_BYTE_ORDER_MARK) * data.endswith(_BYTE_ORDER_MARK, 0, place)
                if data[max(0, start - _WHITE) : start].rstrip().endswith(b">"):
                    yield True, before + start
            place = mark.end()
        kept = max(0, place - _WHITE - len(_BYTE_ORDER_MARK))
        yield False, before + (place if block else len(data))
        before, place, data = before + kept, place - kept, data[kept:]


def _hash(raw: bytes = b"") -> hashlib.blake2b:
    return hashlib.blake2b(raw, digest_size=16)


def _unreadable(entry: DocumentEntry, error: OSError) -> CollectionError:
    return CollectionError(f"{entry.name}: cannot be read: {error.strerror}.")
