"""XML documents one after another in a file, as offices and exports write them: each begins with an XML declaration.

A declaration inside a comment or a CDATA section begins no document, nor does one in the middle of a text.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator
from contextlib import contextmanager

from engine.collection.sources.document_entry import DocumentEntry
from engine.system.files import open_regular

Buffer = bytes | mmap.mmap

_DECLARATION = re.compile(rb"(?:\xef\xbb\xbf)?<\?xml[ \t\r\n]+version[ \t\r\n]*=")
_FIRST = b"<?xml"
_SECTIONS = ((b"<![CDATA[", b"]]>"), (b"<!--", b"-->"))
# Bytes before a declaration in which the end of the document before it is looked for.
_WHITE = 4096


def document_ranges(data: Buffer) -> list[tuple[int, int]]:
    """Return where each document of a file begins and ends, in bytes: one, unless there are further declarations.

    >>> document_ranges(b"<?xml version='1.0'?><a/>\\n<?xml version='1.0'?><b/>")
    [(0, 26), (26, 51)]
    """
    if data.find(_FIRST, 1) < 0:
        return [(0, len(data))]
    starts = [0]
    for found in _DECLARATION.finditer(data):
        place = found.start()
        before = data[max(0, place - _WHITE) : place].rstrip()
        if place and before.endswith(b">") and not _is_in_section(data, starts[-1], place):
            starts.append(place)
    return list(zip(starts, [*starts[1:], len(data)], strict=True))


def _is_in_section(data: Buffer, begin: int, place: int) -> bool:
    return any(
        (opened := data.rfind(start, begin, place)) >= 0 and data.find(end, opened, place) < 0
        for start, end in _SECTIONS
    )


@contextmanager
def contents(entry: DocumentEntry, limit: int) -> Iterator[Buffer]:
    """Yield the bytes of a file, without reading them if it is larger than the limit and holds several documents.

    Raises: CollectionError if the file cannot be read, or is larger and holds one document.
    """
    place = entry.byte_range
    if not place.is_compressed and place.length < 0 and not place.copy and entry.size > limit:
        with (
            open_regular(place.path, follow=True) as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
        ):
            if len(document_ranges(data)) > 1:
                yield data
                return
    yield entry.read(limit)
