"""The members of an uncompressed tar, each with the place of its bytes in the file."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from typing import Any, BinaryIO, Self

from engine.collection.limits import MEGABYTE
from engine.collection.sources.archive_member import Member
from engine.collection.sources.document_entry import ByteRange
from engine.collection.sources.file_names import is_gzipped
from engine.errors import CollectionError
from engine.wording.printable import printable

_EXTENSIONS = (
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
)
# Bytes of one member's extended headers: far more than a path of 4,096 characters needs.
_MAX_EXTENDED = MEGABYTE
# Bytes of global headers; smaller, because tarfile copies them for every member that follows.
_MAX_GLOBAL = MEGABYTE // 16
# Offset of the flag in a sparse map's block that says whether another block follows.
_IS_EXTENDED = 504


class BoundedHeader(tarfile.TarInfo):
    """A tar header. It counts in class attributes, so each tar needs a subclass of its own: `bounded_header()`."""

    # Bytes of the extended headers before the next member.
    n_extended = 0
    # Bytes of all global headers so far.
    n_global = 0

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str | None, errors: str) -> Self:
        """Return the header in a block; raises CollectionError if its extended headers are too large."""
        header = super().frombuf(buf, encoding, errors)  # type: ignore[arg-type]
        if header.size < 0:
            raise CollectionError("damaged: a member of negative size")
        is_extension = header.type in _EXTENSIONS
        cls.n_extended = cls.n_extended + header.size if is_extension else 0
        cls.n_global += header.size if header.type == tarfile.XGLTYPE else 0
        if cls.n_extended > _MAX_EXTENDED or cls.n_global > _MAX_GLOBAL:
            raise CollectionError(
                f"an extended header of {max(cls.n_extended, cls.n_global):,} bytes; no name is that long"
            )
        return header

    # Sparse files are skipped, so their maps of holes, which may be as long as the archive, are not stored.

    def _proc_sparse(self, tar: Any) -> Self:
        _, is_extended, _ = self._sparse_structs  # type: ignore[attr-defined]
        while is_extended:
            block = tar.fileobj.read(tarfile.BLOCKSIZE)
            if len(block) < tarfile.BLOCKSIZE:
                raise CollectionError("damaged: it ends in the header of a sparse file")
            is_extended = block[_IS_EXTENDED]
        self.sparse = b""
        self.offset_data = tar.fileobj.tell()
        tar.offset = self.offset_data + -(-self.size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE
        return self

    def _proc_gnusparse_10(self, member: Any, *_: object) -> None:
        member.sparse = b""


def bounded_header() -> type[BoundedHeader]:
    """Return a new header class, for one tar."""
    return type("Header", (BoundedHeader,), {})


_BLOCK = tarfile.BLOCKSIZE


def read_tar(file: BinaryIO, path: str) -> Iterator[Member]:
    """Yield the members of the tar at a path; raises CollectionError, TarError and others if it is damaged."""
    with tarfile.open(fileobj=file, mode="r:", tarinfo=bounded_header()) as tar:
        begin = -1
        while (header := tar.next()) is not None:
            tar.members.clear()  # type: ignore[attr-defined]  # tarfile would keep every header in memory
            reach = header.offset_data + header.size if header.isreg() and not header.issparse() else 0
            # Extended headers may give any size: members that go backwards or share bytes are refused.
            if header.size < 0 or not max(begin, reach - 1) < tar.offset:
                raise CollectionError(f"damaged: {printable(header.name)!r} overlaps another member")
            begin = tar.offset
            if not header.isdir():
                place = ByteRange(path, header.offset_data, header.size, is_gzipped(header.name))
                yield Member(header.name, header.size, place, _skip_reason(header))
        # tarfile takes an unreadable header for the end of the archive, so the end is checked here.
        file.seek(tar.offset)
        end = file.read(_BLOCK)
        if len(end) < _BLOCK or end.strip(b"\0"):
            raise CollectionError(f"damaged at byte {tar.offset:,}: neither a member nor the end of the archive")


def _skip_reason(header: tarfile.TarInfo) -> str | None:
    if header.issym() or header.islnk():
        return "a link in an archive"
    if header.isfifo():
        return "a FIFO in an archive"
    if header.isdev():
        return "a device in an archive"
    if header.issparse():
        return "a sparse file in an archive"
    return None if header.isreg() else "neither a file nor a folder"
