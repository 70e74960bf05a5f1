"""A document of a source: its id, size and time, and how to read its bytes within limits from any process."""

from __future__ import annotations

import gzip
import io
import os
import zlib

from engine.collection.limits import DEFAULT_LIMITS, MEGABYTE, limit_hint
from engine.errors import CollectionError
from engine.records import NamedTuple
from engine.system.platform import open_regular


class Skipped(NamedTuple):
    """A document, archive or folder that was skipped. `line` is 0 where no line applies."""

    file: str
    line: int
    reason: str


# Typical ratio of XML to its gzip size; only used to estimate memory.
GZIP_RATIO = 8


class ByteRange(NamedTuple):
    """Where the bytes of a document are: a range of a file, and how it is compressed."""

    # Absolute path of the document, of the archive, or of a decompressed copy of the archive.
    path: str
    offset: int
    # Bytes in the file; -1: to its end.
    length: int
    is_gzipped: bool = False
    # Whether a zip member is deflated; its content may be gzipped in turn.
    is_deflated: bool = False
    # CRC-32 of a zip member; -1 for none.
    crc: int = -1
    # A file with these bytes alone, which is read in the place of `path`; "" for none.
    copy: str = ""

    @property
    def is_compressed(self) -> bool:
        """Whether the bytes have to be decompressed."""
        return self.is_gzipped or self.is_deflated


class ArchivePlace(NamedTuple):
    """Where a document is in an archive.

    archive: path of the archive, relative to the folder of its source. member: path of the document inside.
    """

    archive: str
    member: str
    is_zip: bool


class DocumentEntry(NamedTuple):
    """One document of a source, not yet read; small enough to be sent to another process."""

    document_id: str
    # Name in messages: `path` or `archive.tar.xz!member.xml`.
    name: str
    # `source_key` of its source.
    source: str
    # Size in bytes of the file, or of the archive member as listed. If size and time are unchanged since the last
    # build, the content is not compared.
    size: int
    # Modification time of the file or the archive.
    mtime_ns: int
    byte_range: ByteRange
    # The folder inside which the images of the document are read.
    root: str = ""
    # Of a document in an archive, whose images are read inside that archive.
    place: ArchivePlace | None = None

    @property
    def xml_bytes(self) -> int:
        """Estimated length of the XML in bytes; gzip files are not opened for it."""
        return self.size * GZIP_RATIO if self.byte_range.is_gzipped else self.size

    def read(self, limit: int = DEFAULT_LIMITS.max_file_bytes) -> bytes:
        """Return the document's XML, decompressed; hardly more than `limit` bytes are read or decompressed.

        Raises: CollectionError if the file cannot be read, is damaged, or its XML is longer than `limit` bytes.
        """
        try:
            data = self._read(limit)
        except (zlib.error, gzip.BadGzipFile, EOFError) as error:
            raise CollectionError(f"{self.name}: damaged: {error}.") from error
        except OSError as error:
            raise CollectionError(f"{self.name}: cannot be read: {error.strerror}.") from error
        if data is None or len(data) > limit:
            raise CollectionError(
                f"{self.name}: more than {limit:,} bytes of XML, {limit_hint('max_file_bytes')}: split the document."
            )
        return data

    def beginning(self, n_bytes: int) -> bytes:
        """Return the first bytes of the document's XML, decompressed; none if it cannot be read."""
        place = self.byte_range
        try:
            with open_regular(place.copy or place.path, follow=True) as file:
                file.seek(0 if place.copy else place.offset)
                data = file.read(n_bytes if place.length < 0 else min(n_bytes, place.length))
            for is_compressed, bits in ((place.is_deflated, -zlib.MAX_WBITS), (place.is_gzipped, 16 + zlib.MAX_WBITS)):
                data = zlib.decompressobj(bits).decompress(data, n_bytes) if is_compressed else data
        except (OSError, zlib.error):
            return b""
        return data

    def stored(self, limit: int = DEFAULT_LIMITS.max_file_bytes) -> bytes | None:
        """Return the stored bytes, cut one byte past the limit; None if they cannot be read."""
        place = self.byte_range
        most = limit + MEGABYTE * place.is_compressed + 1
        try:
            with open_regular(place.path, follow=True) as file:
                file.seek(place.offset)
                return file.read(most if place.length < 0 else min(place.length, most))
        except OSError:
            return None

    def copied_to(self, path: str) -> DocumentEntry:
        """Return the entry of the same document, whose bytes, as `stored` gives them, are read from a file."""
        return self._replace(byte_range=self.byte_range._replace(copy=path))

    def _read(self, limit: int) -> bytes | None:
        """Return at most `limit` + 1 bytes of the document's XML; None if its stored bytes already exceed the limit."""
        place = self.byte_range
        most = limit + MEGABYTE * place.is_compressed  # incompressible data grows slightly when compressed
        with open_regular(place.copy or place.path, follow=True) as file:
            length = os.fstat(file.fileno()).st_size if place.length < 0 else place.length
            if length > most or (place.is_deflated and self.size > most):
                return None
            file.seek(0 if place.copy else place.offset)
            data = file.read(length)
        if len(data) < place.length:
            raise EOFError("it ends early; it may have changed while it was read")
        if place.is_deflated:
            data = _inflate(data, self.size)
        if place.crc >= 0 and zlib.crc32(data) != place.crc:
            raise EOFError("its checksum is wrong")
        return _gunzip(data, limit + 1) if place.is_gzipped else data


def _inflate(data: bytes, size: int) -> bytes:
    decoder = zlib.decompressobj(-zlib.MAX_WBITS)
    unpacked = decoder.decompress(data, size + 1)
    if len(unpacked) > size:
        raise EOFError(f"it decompresses to more than the {size:,} bytes that the archive lists")
    if not decoder.eof:
        raise EOFError("it ends early")
    return unpacked


def _gunzip(data: bytes, most: int) -> bytes:
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
        return file.read(most)
