"""The members of an uncompressed tar, each with the place of its bytes in the file."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from typing import BinaryIO

from engine.collection.sources.archive_member import Member
from engine.collection.sources.document_entry import ByteRange
from engine.collection.sources.file_names import is_gzipped
from engine.collection.sources.tar_headers import bounded_header
from engine.errors import CollectionError
from engine.printable import printable

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
