"""What a listing says of one document, and how its bytes are read: within limits, from any process."""

import gzip
import io
import os
import zlib
from dataclasses import dataclass
from typing import NamedTuple

from engine.errors import CollectionError

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What a source may demand; a message that refuses one names the limit by its field."""

    max_file_bytes: int = 512 * MEGABYTE
    """The XML of one document."""
    max_archive_bytes: int = 65536 * MEGABYTE
    """All members of one archive, unpacked."""
    max_members: int = 5_000_000
    """Members of one archive, links and folders included."""
    max_ratio: int = 250
    """Unpacked to packed bytes, counted where more than ``free_bytes`` come out."""
    free_bytes: int = 64 * MEGABYTE
    """What may come out at any ratio."""


DEFAULT_LIMITS = Limits()


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

    def read(self, limit: int = DEFAULT_LIMITS.max_file_bytes) -> bytes:
        """Return the document's XML, unpacked; never more than ``limit`` bytes are unpacked.

        Raises: CollectionError if the file cannot be read, is damaged, or is longer than ``limit``.
        """
        place = self.place
        most = limit + MEGABYTE  # what cannot be packed grows a little by packing
        try:
            with open(place.path, "rb") as file:
                file.seek(place.offset)
                length = os.fstat(file.fileno()).st_size if place.length < 0 else place.length
                data = file.read(min(length, most))
            if len(data) < min(place.length, most):
                raise EOFError("it ends early; perhaps it changed while it was read")
            if place.is_deflated:
                data = _inflate(data, most)
            if place.crc >= 0 and len(data) < most and zlib.crc32(data) != place.crc:
                raise EOFError("its checksum is wrong")
            if place.is_gzipped:
                data = _gunzip(data, limit + 1)
        except (zlib.error, gzip.BadGzipFile, EOFError) as error:
            raise CollectionError(f"{self.name}: damaged: {error}.") from error
        except OSError as error:
            raise CollectionError(f"{self.name}: cannot be read: {error.strerror}.") from error
        if len(data) > limit:
            raise CollectionError(f"{self.name}: more than {limit:,} bytes of XML, the limit max_file_bytes.")
        return data


def _inflate(data: bytes, most: int) -> bytes:
    decoder = zlib.decompressobj(-zlib.MAX_WBITS)
    unpacked = decoder.decompress(data, most)
    if not decoder.eof and len(unpacked) < most:
        raise EOFError("it ends early")
    return unpacked


def _gunzip(data: bytes, most: int) -> bytes:
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
        return file.read(most)
