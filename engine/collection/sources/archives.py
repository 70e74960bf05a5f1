"""Archives: the members that are documents, and where in the file each lies."""

import os
import posixpath
import stat
import struct
import tarfile
import zipfile
from collections.abc import Iterator
from itertools import pairwise
from typing import BinaryIO, NamedTuple

from engine.collection.limits import MEGABYTE, Limits, the_limit
from engine.collection.sources.entry import Place, Skipped
from engine.collection.sources.files import kind_of_file
from engine.collection.sources.names import archive_kind, is_document, is_gzipped, printable, shortened, unsafe
from engine.collection.sources.tar_headers import bounded_header
from engine.errors import CollectionError
from engine.plain import open_plain

# What the readers of archives raise when one is damaged; RecursionError: headers that extend headers without end.
DAMAGES = (
    *(tarfile.TarError, zipfile.BadZipFile, NotImplementedError),
    *(OSError, EOFError, ValueError, OverflowError, RecursionError, struct.error),
)
_BLOCK = tarfile.BLOCKSIZE
_LOCAL_HEADER = struct.Struct("<4s22xHH")  # signature, length of the name, length of the extra field
_LOCAL_SIGNATURE = b"PK\3\4"
_ENCRYPTED = 0x1
_DIRECTORY_SIZE, _END_PLACE = 5, 9  # where the parts of a zip's end record stand
_ENTRY = struct.Struct("<28x3H12x")  # of a directory: lengths of the name, the extra field, the comment
_LONGEST_DIRECTORY = 512 * MEGABYTE  # of which all is kept in memory
_ZIP64_SIGNATURE, _ZIP64_ENDS = b"PK\6\6", 56 + 20  # length of the two records before the end of a large zip


class Member(NamedTuple):
    """One member of an archive; ``refusal`` says why it is left out, None for a file that can be read."""

    path: str
    size: int
    place: Place
    refusal: str | None


class Members(NamedTuple):
    """The members of an archive: the documents, what was left out, how many are no XML; ``paths`` of all files."""

    documents: list[Member]
    skipped: list[Skipped]
    ignored: int
    paths: list[str]


def tar_members(path: str, name: str, limits: Limits) -> Members:
    """Return the members of an uncompressed tar, which messages call ``name``.

    Raises: CollectionError if it is past a limit; that or one of ``DAMAGES`` if it is damaged.
    """
    with open_plain(path, follow=True) as file:
        return _sorted_out(_tar(file, path), name, limits, limits.max_archive_bytes)


def zip_members(path: str, name: str, limits: Limits) -> Members:
    """Return the members of a zip, which messages call ``name``.

    Raises: CollectionError if it is past a limit; that or one of ``DAMAGES`` if it is damaged.
    """
    with open_plain(path, follow=True) as file:
        most = max(limits.free_bytes, limits.max_ratio * os.fstat(file.fileno()).st_size)
        return _sorted_out(_zip(file, path, limits), name, limits, most)


def _sorted_out(members: Iterator[Member], name: str, limits: Limits, most: int) -> Members:
    """Return the members by what becomes of them; the documents may unpack to `most` bytes."""
    documents, skipped, paths = list[Member](), list[Skipped](), list[str]()
    ignored = total = unpacked = 0
    for count, member in enumerate(members, 1):
        total += member.size
        if count > limits.max_members:
            raise CollectionError(_too_many(limits))
        if total > limits.max_archive_bytes:
            raise CollectionError(
                f"more than {limits.max_archive_bytes:,} bytes unpacked, {the_limit('max_archive_bytes')}"
            )
        reason = unsafe(member.path) or member.refusal
        path = posixpath.normpath(member.path)
        if reason is None:
            paths.append(path)
            if archive_kind(path):
                reason = "an archive in an archive; take it out and name it as a source of its own"
            elif not is_document(posixpath.basename(path)):
                ignored += 1
                continue
            elif member.size > limits.max_file_bytes:
                reason = f"more than {limits.max_file_bytes:,} bytes of XML, {the_limit('max_file_bytes')}"
        if reason is not None:
            skipped.append(Skipped(f"{name}!{shortened(member.path)}", 0, reason))
        else:
            unpacked += member.size
            if unpacked > most:
                raise CollectionError(f"more than {limits.max_ratio} times its packed size, {the_limit('max_ratio')}")
            documents.append(member._replace(path=path))
    return Members(documents, skipped, ignored, paths)


def _tar(file: BinaryIO, path: str) -> Iterator[Member]:
    with tarfile.open(fileobj=file, mode="r:", tarinfo=bounded_header()) as tar:
        begin = -1
        while (header := tar.next()) is not None:
            tar.members.clear()  # type: ignore[attr-defined]  # else every header of a large archive stays in memory
            reach = header.offset_data + header.size if header.isreg() and not header.issparse() else 0
            if header.size < 0 or not max(begin, reach - 1) < tar.offset:  # extended headers can say so
                raise CollectionError(f"damaged: {printable(header.name)!r} reaches into another member")
            begin = tar.offset
            if not header.isdir():
                place = Place(path, header.offset_data, header.size, is_gzipped(header.name))
                yield Member(header.name, header.size, place, _tar_refusal(header))
        # tarfile takes a header that it cannot read for the end
        file.seek(tar.offset)
        end = file.read(_BLOCK)
        if len(end) < _BLOCK or end.strip(b"\0"):
            raise CollectionError(f"damaged at byte {tar.offset:,}: neither a member nor the end of the archive")


def _tar_refusal(header: tarfile.TarInfo) -> str | None:
    if header.issym() or header.islnk():
        return "a link in an archive"
    if header.isfifo():
        return "a FIFO in an archive"
    if header.isdev():
        return "a device in an archive"
    if header.issparse():
        return "a sparse file in an archive"
    return None if header.isreg() else "neither a file nor a folder"


def _check_directory(file: BinaryIO, limits: Limits) -> None:
    """Refuse a zip of too many members before ``zipfile`` makes an object of each."""
    end = zipfile._EndRecData(file)  # type: ignore[attr-defined]  # so that zipfile and we look at the same directory
    if end is None or end[_DIRECTORY_SIZE] <= limits.max_members * _ENTRY.size:
        return
    if end[_DIRECTORY_SIZE] > _LONGEST_DIRECTORY:
        raise CollectionError(f"a directory of {end[_DIRECTORY_SIZE]:,} bytes; none is that long")
    left = end[_DIRECTORY_SIZE]
    file.seek(end[_END_PLACE] - left - (_ZIP64_ENDS if end[0] == _ZIP64_SIGNATURE else 0))
    count = 0
    while left >= _ENTRY.size:
        lengths = _ENTRY.unpack(file.read(_ENTRY.size))
        file.seek(sum(lengths), os.SEEK_CUR)
        left -= _ENTRY.size + sum(lengths)
        count += 1
        if count > limits.max_members:
            raise CollectionError(_too_many(limits))


def _too_many(limits: Limits) -> str:
    return f"more than {limits.max_members:,} members, {the_limit('max_members')}"


def _zip(file: BinaryIO, path: str, limits: Limits) -> Iterator[Member]:
    _check_directory(file, limits)
    end = file.seek(0, 2)
    with zipfile.ZipFile(file) as archive:
        behind = _next_begins(archive.infolist(), end)
        for info in archive.infolist():
            if info.filename.endswith("/"):
                continue
            file.seek(info.header_offset)
            header = file.read(_LOCAL_HEADER.size)
            if len(header) < _LOCAL_HEADER.size or not header.startswith(_LOCAL_SIGNATURE):
                raise CollectionError(f"damaged: {info.filename!r} is not where the directory says")
            _, name_length, extra_length = _LOCAL_HEADER.unpack(header)
            offset = info.header_offset + _LOCAL_HEADER.size + name_length + extra_length
            if offset + info.compress_size > end:
                raise CollectionError(f"damaged: {info.filename!r} reaches past the end of the file")
            if offset + info.compress_size > behind[info.header_offset]:
                raise CollectionError(f"damaged: {info.filename!r} reaches into another member")
            is_deflated = info.compress_type == zipfile.ZIP_DEFLATED
            place = Place(path, offset, info.compress_size, is_gzipped(info.filename), is_deflated, info.CRC)
            yield Member(info.filename, info.file_size, place, _zip_refusal(info, limits))


def _next_begins(members: list[zipfile.ZipInfo], end: int) -> dict[int, int]:
    """Return where the next member begins, by where each does; bombs let many members share their bytes."""
    begins = sorted(info.header_offset for info in members)
    behind = dict(pairwise([*begins, end]))
    if len(behind) < len(begins):
        raise CollectionError("damaged: two members are said to be at one place")
    return behind


def _zip_refusal(info: zipfile.ZipInfo, limits: Limits) -> str | None:
    mode = info.external_attr >> 16
    if stat.S_ISLNK(mode):
        return "a link in an archive"
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return f"{kind_of_file(mode)} in an archive"
    if info.flag_bits & _ENCRYPTED:
        return "encrypted"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return f"packed by method {info.compress_type}; pack it by deflate"
    if info.file_size > max(limits.free_bytes, limits.max_ratio * info.compress_size):
        return f"more than {limits.max_ratio} times its packed size, {the_limit('max_ratio')}"
    return None
