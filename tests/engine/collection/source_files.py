"""Helpers that create files and archives for the tests of sources."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import zstandard

from engine.collection.limits import Limits
from engine.collection.sources.source_listing import SourceListing, open_sources

XML = b"<article><p>text</p></article>"
SMALL = Limits(max_file_bytes=1000, max_archive_bytes=100_000, max_members=50, max_ratio=20, free_bytes=20_480)


def make(folder: Path, files: Mapping[str, bytes]) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def ids(listing: SourceListing) -> list[str]:
    return [entry.document_id for entry in listing.entries]


def list_ids(*sources: str | Path, limits: Limits = SMALL) -> list[str]:
    with open_sources(sources, limits=limits) as listing:
        assert listing.skipped == []
        return ids(listing)


def tar_bytes(members: Mapping[str, bytes | tarfile.TarInfo]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, member in members.items():
            if isinstance(member, bytes):
                info = tarfile.TarInfo(name)
                info.size = len(member)
                tar.addfile(info, io.BytesIO(member))
            else:
                tar.addfile(member)
    return buffer.getvalue()


def zip_bytes(members: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return buffer.getvalue()


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = target
    return info


ARCHIVES: dict[str, Callable[[Mapping[str, bytes]], bytes]] = {
    ".zip": zip_bytes,
    ".tar": tar_bytes,
    ".tar.gz": lambda members: gzip.compress(tar_bytes(members), mtime=0),
    ".tgz": lambda members: gzip.compress(tar_bytes(members), mtime=0),
    ".tar.xz": lambda members: lzma.compress(tar_bytes(members)),
    ".tar.bz2": lambda members: bz2.compress(tar_bytes(members)),
    ".tar.zst": lambda members: zstandard.compress(tar_bytes(members)),
}


def tar_header(name: str, kind: bytes, size: int) -> bytes:
    """Return the tar header of a member; its size need not be that of the bytes after it."""
    header = tarfile.TarInfo(name)
    header.type, header.size = kind, size
    return header.tobuf(tarfile.USTAR_FORMAT)


def in_blocks(data: bytes) -> bytes:
    return data + bytes(-len(data) % tarfile.BLOCKSIZE)


def extension(records: Mapping[str, str], kind: bytes = tarfile.XHDTYPE) -> bytes:
    """Return an extended header of a tar that holds some records."""
    lines = []
    for name, value in records.items():
        record = f" {name}={value}\n".encode()
        length = len(record) + len(str(len(record)))
        lines.append(str(len(record) + len(str(length))).encode() + record)
    data = b"".join(lines)
    return tar_header("extension", kind, len(data)) + in_blocks(data)


def tar_member(name: str = "a.xml", data: bytes = XML) -> bytes:
    return tar_header(name, tarfile.REGTYPE, len(data)) + in_blocks(data)
