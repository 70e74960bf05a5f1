"""The members of zip and tar archives: which are documents, images, or skipped, and their limits."""

from __future__ import annotations

import os
import posixpath
import stat
import struct
import tarfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, BinaryIO, Self

from engine.collection.limits import MEGABYTE, Limits, limit_hint
from engine.collection.sources.document_entry import ByteRange, Skipped
from engine.collection.sources.file_names import (
    HIDDEN,
    archive_kind,
    extension,
    is_document,
    is_gzipped,
    is_hidden,
    shortened,
    unsafe_member_reason,
)
from engine.collection.sources.folders import kind_of_file
from engine.collection.sources.patterns import EXCLUDED
from engine.errors import CollectionError
from engine.records import NamedTuple
from engine.system.platform import open_regular
from engine.wording import printable

# What zipfile and tarfile raise for a damaged archive. RecursionError: extended headers that extend each other.
DAMAGES = (
    *(tarfile.TarError, zipfile.BadZipFile, NotImplementedError),
    *(OSError, EOFError, ValueError, OverflowError, RecursionError, struct.error),
)


class Member(NamedTuple):
    """One member of an archive; `skip_reason` is None for a file that can be read."""

    path: str
    size: int
    byte_range: ByteRange
    skip_reason: str | None


class Members(NamedTuple):
    """The members of an archive: documents, skipped members, other files by extension, the paths of all files."""

    documents: list[Member]
    skipped: list[Skipped]
    ignored: Counter[str]
    paths: list[str]


def tar_members(path: str, name: str, limits: Limits, is_excluded: Callable[[str], bool]) -> Members:
    """Return the members of an uncompressed tar, which messages call `name`.

    Args:
        is_excluded: returns whether the member with a path is not read.
    Raises: CollectionError if it exceeds a limit; CollectionError or one of `DAMAGES` if it is damaged.
    """
    with open_regular(path, follow=True) as file:
        return _classified(read_tar(file, path), name, limits, limits.max_archive_bytes, is_excluded)


def zip_members(path: str, name: str, limits: Limits, is_excluded: Callable[[str], bool]) -> Members:
    """Return the members of a zip, which messages call `name`.

    Args:
        is_excluded: returns whether the member with a path is not read.
    Raises: CollectionError if it exceeds a limit; CollectionError or one of `DAMAGES` if it is damaged.
    """
    with open_regular(path, follow=True) as file:
        most = max(limits.free_bytes, limits.max_ratio * os.fstat(file.fileno()).st_size)
        return _classified(read_zip(file, path, limits), name, limits, most, is_excluded)


def image_members(path: str, limits: Limits, *, is_zip: bool, extensions: tuple[str, ...]) -> dict[str, Member]:
    """Return the members of an archive whose names are those of images, by path; of equal paths the first.

    Args:
        path: of a zip, or of an uncompressed tar.
    Raises: CollectionError or one of `DAMAGES` if it is damaged or has too many members.
    """
    found: dict[str, Member] = {}
    with open_regular(path, follow=True) as file:
        for count, member in enumerate(read_zip(file, path, limits) if is_zip else read_tar(file, path), 1):
            if count > limits.max_members:
                raise CollectionError(too_many_members(limits))
            if member.path.lower().endswith(extensions):
                reason = unsafe_member_reason(member.path) or member.skip_reason
                found.setdefault(posixpath.normpath(member.path), member._replace(skip_reason=reason))
    return found


def too_many_members(limits: Limits) -> str:
    """Return why an archive with more members than the limit is refused."""
    return f"more than {limits.max_members:,} members, {limit_hint('max_members')}"


def _classified(
    members: Iterator[Member], name: str, limits: Limits, most: int, is_excluded: Callable[[str], bool]
) -> Members:
    """Return the members as documents, skipped and ignored; documents may decompress to `most` bytes in all."""
    documents, skipped, paths = list[Member](), list[Skipped](), list[str]()
    ignored: Counter[str] = Counter()
    total = unpacked = 0
    for count, member in enumerate(members, 1):
        total += member.size
        if count > limits.max_members:
            raise CollectionError(too_many_members(limits))
        if total > limits.max_archive_bytes:
            raise CollectionError(
                f"more than {limits.max_archive_bytes:,} bytes decompressed, {limit_hint('max_archive_bytes')}"
            )
        reason = unsafe_member_reason(member.path) or member.skip_reason
        path = posixpath.normpath(member.path)
        if reason is None:
            paths.append(path)
            is_archive = archive_kind(path) is not None
            if not is_archive and not is_document(posixpath.basename(path)):
                ignored[extension(posixpath.basename(path))] += 1
                continue
            if is_hidden(path) or is_excluded(path):
                ignored[HIDDEN if is_hidden(path) else EXCLUDED] += 1
                continue
            if is_archive:
                reason = "an archive in an archive; extract it and index it as a separate source"
            elif member.size > limits.max_file_bytes:
                reason = f"more than {limits.max_file_bytes:,} bytes of XML, {limit_hint('max_file_bytes')}"
        if reason is not None:
            skipped.append(Skipped(f"{name}!{shortened(member.path)}", 0, reason))
        else:
            unpacked += member.size
            if unpacked > most:
                raise CollectionError(
                    f"more than {limits.max_ratio} times its compressed size, {limit_hint('max_ratio')}"
                )
            documents.append(member._replace(path=path))
    return Members(documents, skipped, ignored, paths)


# A zip's local file header: signature, length of the name, length of the extra field.
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_LOCAL_SIGNATURE = b"PK\3\4"
_ENCRYPTED = 0x1
# Indexes into a zip's end record, as zipfile returns it: size of the directory, offset of the record.
_DIRECTORY_SIZE, _END_PLACE = 5, 9
# An entry of a zip's directory: lengths of the name, the extra field, the comment.
_ENTRY = struct.Struct("<28x3H12x")
# Largest zip directory, in bytes; zipfile reads it into memory as a whole.
LONGEST_DIRECTORY = 512 * MEGABYTE
# Length of the two records before the end of a large zip.
_ZIP64_SIGNATURE, _ZIP64_ENDS = b"PK\6\6", 56 + 20


def read_zip(file: BinaryIO, path: str, limits: Limits) -> Iterator[Member]:
    """Yield the members of the zip at a path; raises CollectionError, BadZipFile and others if it is damaged."""
    _check_directory(file, limits)
    end = file.seek(0, 2)
    with zipfile.ZipFile(file) as archive:
        next_offset = _next_offsets(archive.infolist(), end)
        for info in archive.infolist():
            if info.filename.endswith("/"):
                continue
            file.seek(info.header_offset)
            header = file.read(_LOCAL_HEADER.size)
            if len(header) < _LOCAL_HEADER.size or not header.startswith(_LOCAL_SIGNATURE):
                raise CollectionError(f"damaged: no member {info.filename!r} at the offset in the directory")
            _, name_length, extra_length = _LOCAL_HEADER.unpack(header)
            offset = info.header_offset + _LOCAL_HEADER.size + name_length + extra_length
            if offset + info.compress_size > end:
                raise CollectionError(f"damaged: {info.filename!r} extends past the end of the file")
            if offset + info.compress_size > next_offset[info.header_offset]:
                raise CollectionError(f"damaged: {info.filename!r} overlaps another member")
            is_deflated = info.compress_type == zipfile.ZIP_DEFLATED
            place = ByteRange(path, offset, info.compress_size, is_gzipped(info.filename), is_deflated, info.CRC)
            yield Member(info.filename, info.file_size, place, _skipped_of_zip(info, limits))


def _check_directory(file: BinaryIO, limits: Limits) -> None:
    """Raise CollectionError for a zip with too many members, before `zipfile` creates an object for each."""
    end = zipfile._EndRecData(file)  # type: ignore[attr-defined]  # the record that zipfile itself will use
    if end is None or end[_DIRECTORY_SIZE] <= limits.max_members * _ENTRY.size:
        return
    if end[_DIRECTORY_SIZE] > LONGEST_DIRECTORY:
        raise CollectionError(f"damaged: a directory of {end[_DIRECTORY_SIZE]:,} bytes; expected less than 512 MB")
    left = end[_DIRECTORY_SIZE]
    file.seek(end[_END_PLACE] - left - (_ZIP64_ENDS if end[0] == _ZIP64_SIGNATURE else 0))
    count = 0
    while left >= _ENTRY.size:
        lengths = _ENTRY.unpack(file.read(_ENTRY.size))
        file.seek(sum(lengths), os.SEEK_CUR)
        left -= _ENTRY.size + sum(lengths)
        count += 1
        if count > limits.max_members:
            raise CollectionError(too_many_members(limits))


def _next_offsets(members: list[zipfile.ZipInfo], end: int) -> dict[int, int]:
    """Return the offset of the next member by the offset of each; in zip bombs, members overlap."""
    begins = sorted(info.header_offset for info in members)
    following = dict(pairwise([*begins, end]))
    if len(following) < len(begins):
        raise CollectionError("damaged: two members have the same offset")
    return following


def _skipped_of_zip(info: zipfile.ZipInfo, limits: Limits) -> str | None:
    mode = info.external_attr >> 16
    if stat.S_ISLNK(mode):
        return "a link in an archive"
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return f"{kind_of_file(mode)} in an archive"
    if info.flag_bits & _ENCRYPTED:
        return "encrypted"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return f"compressed by method {info.compress_type}; compress it with deflate"
    if info.file_size > max(limits.free_bytes, limits.max_ratio * info.compress_size):
        return f"more than {limits.max_ratio} times its compressed size, {limit_hint('max_ratio')}"
    return None


# Types of headers that extend the next one.
_EXTENSIONS = (
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
)
# Bytes of one member's extended headers: far more than a path of 4,096 characters needs.
_MAX_EXTENDED = MEGABYTE // 2
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

    def _proc_member(self, tar: Any) -> Self:
        """Return the member that this header begins; raises CollectionError if its extended headers are invalid."""
        counts = type(self)
        counts.n_extended = counts.n_extended + self.size if self.type in _EXTENSIONS else 0
        counts.n_global += self.size if self.type == tarfile.XGLTYPE else 0
        if counts.n_extended > _MAX_EXTENDED or counts.n_global > _MAX_GLOBAL:
            raise CollectionError(
                f"an extended header of {max(counts.n_extended, counts.n_global):,} bytes; no name is that long"
            )
        try:
            return super()._proc_member(tar)  # type: ignore[misc, no-any-return]
        except tarfile.InvalidHeaderError as error:  # type: ignore[attr-defined]  # which tarfile may leave out in silence
            raise CollectionError(f"damaged: {error}") from error

    def _block(self, count: int) -> int:
        if count < 0:
            raise CollectionError("damaged: a member of negative size")
        return -(-count // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE

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
        tar.offset = self.offset_data + self._block(self.size)
        return self

    def _proc_gnusparse_10(self, member: Any, *_: object) -> None:
        member.sparse = b""


def bounded_header() -> type[BoundedHeader]:
    """Return a new header class, for one tar."""
    return type("Header", (BoundedHeader,), {})


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
                yield Member(header.name, header.size, place, _skipped_of_tar(header))
        # tarfile takes an unreadable header for the end of the archive, so the end is checked here.
        file.seek(tar.offset)
        end = file.read(tarfile.BLOCKSIZE)
        if len(end) < tarfile.BLOCKSIZE or end.strip(b"\0"):
            raise CollectionError(f"damaged at byte {tar.offset:,}: neither a member nor the end of the archive")


def _skipped_of_tar(header: tarfile.TarInfo) -> str | None:
    if header.issym() or header.islnk():
        return "a link in an archive"
    if header.isfifo():
        return "a FIFO in an archive"
    if header.isdev():
        return "a device in an archive"
    if header.issparse():
        return "a sparse file in an archive"
    return None if header.isreg() else "neither a file nor a folder"
