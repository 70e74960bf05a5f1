"""What a listing says of one document, and how its bytes are read: within limits, from any process."""

import gzip
import io
import os
import zlib
from typing import NamedTuple

from engine.collection.limits import DEFAULT_LIMITS, MEGABYTE, the_limit
from engine.errors import CollectionError
from engine.plain import open_plain

GROWTH = 8  # by about how much XML grows when it is unpacked


class Skipped(NamedTuple):
    """Something that was left out. ``line`` is 0 where a line says nothing."""

    file: str
    line: int
    reason: str


class Place(NamedTuple):
    """Where bytes lie: a stretch of a file, and how it is packed."""

    path: str
    """Absolute path of the document, of the archive, or of the archive's unpacked copy."""
    offset: int
    length: int
    """Length as it lies there, in bytes; -1: to the end of the file."""
    is_gzipped: bool = False
    is_deflated: bool = False
    """The member of a zip is deflated; inside, it may be gzipped."""
    crc: int = -1
    """CRC-32 of the member of a zip, -1 where there is none."""

    @property
    def is_packed(self) -> bool:
        """Whether the bytes are not the XML itself."""
        return self.is_gzipped or self.is_deflated


class Entry(NamedTuple):
    """One document of a collection, small enough to be sent to another process."""

    document: str
    """The document id."""
    name: str
    """What messages call it: ``path`` or ``archive.tar.xz!member.xml``."""
    source: str
    """The key of the source it came from, as ``source_key`` gives it."""
    size: int
    """Bytes of the file, or of the member as it is listed. Other size or time than before: look at the content."""
    mtime_ns: int
    """Time of the last change: of the file, or of the archive as a whole."""
    place: Place

    @property
    def xml_bytes(self) -> int:
        """About how long the XML is: what is gzipped is not opened for it."""
        return self.size * GROWTH if self.place.is_gzipped else self.size

    def read(self, limit: int = DEFAULT_LIMITS.max_file_bytes) -> bytes:
        """Return the document's XML, unpacked; never much more than ``limit`` bytes are read or unpacked.

        Raises: CollectionError if the file cannot be read, is damaged, or is longer than ``limit``.
        """
        try:
            data = self._read(limit)
        except (zlib.error, gzip.BadGzipFile, EOFError) as error:
            raise CollectionError(f"{self.name}: damaged: {error}.") from error
        except OSError as error:
            raise CollectionError(f"{self.name}: cannot be read: {error.strerror}.") from error
        if data is None or len(data) > limit:
            raise CollectionError(
                f"{self.name}: more than {limit:,} bytes of XML, {the_limit('max_file_bytes')}: split the document."
            )
        return data

    def _read(self, limit: int) -> bytes | None:
        """Return the document's XML, at most one byte more than ``limit`` of it; None for what is longer as it lies."""
        place = self.place
        most = limit + MEGABYTE * place.is_packed  # what cannot be packed grows a little by packing
        with open_plain(place.path, follow=True) as file:
            length = os.fstat(file.fileno()).st_size if place.length < 0 else place.length
            if length > most or (place.is_deflated and self.size > most):
                return None
            file.seek(place.offset)
            data = file.read(length)
        if len(data) < place.length:
            raise EOFError("it ends early; perhaps it changed while it was read")
        if place.is_deflated:
            data = _inflate(data, self.size)
        if place.crc >= 0 and zlib.crc32(data) != place.crc:
            raise EOFError("its checksum is wrong")
        return _gunzip(data, limit + 1) if place.is_gzipped else data


def _inflate(data: bytes, size: int) -> bytes:
    decoder = zlib.decompressobj(-zlib.MAX_WBITS)
    unpacked = decoder.decompress(data, size + 1)
    if len(unpacked) > size:
        raise EOFError(f"more than the {size:,} bytes come out that it is said to hold")
    if not decoder.eof:
        raise EOFError("it ends early")
    return unpacked


def _gunzip(data: bytes, most: int) -> bytes:
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
        return file.read(most)
