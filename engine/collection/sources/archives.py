"""Archives: the members that are documents, and where in the file each lies."""

import os
import posixpath
import stat
import struct
import tarfile
import zipfile
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple, Self

from engine.collection.limits import MEGABYTE, Limits, the_limit
from engine.collection.sources.entry import Place, Skipped
from engine.collection.sources.files import kind_of_file
from engine.collection.sources.names import archive_kind, is_document, is_gzipped, printable, unsafe
from engine.errors import CollectionError

# What the readers of archives raise when one is damaged; RecursionError: headers that extend headers without end.
DAMAGES = (
    *(tarfile.TarError, zipfile.BadZipFile, NotImplementedError),
    *(OSError, EOFError, ValueError, OverflowError, RecursionError, struct.error),
)
_BLOCK = tarfile.BLOCKSIZE
_EXTENSIONS = (
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
)
_LOCAL_HEADER = struct.Struct("<4s22xHH")  # signature, length of the name, length of the extra field
_LOCAL_SIGNATURE = b"PK\3\4"
_ENCRYPTED = 0x1
_DIRECTORY_SIZE, _END_PLACE = 5, 9  # where the parts of a zip's end record stand
_ENTRY = struct.Struct("<28x3H12x")  # of a directory: lengths of the name, the extra field, the comment
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
    with open(path, "rb") as file:
        return _sorted_out(_tar(file, path), name, limits)


def zip_members(path: str, name: str, limits: Limits) -> Members:
    """Return the members of a zip, which messages call ``name``.

    Raises: CollectionError if it is past a limit; that or one of ``DAMAGES`` if it is damaged.
    """
    with open(path, "rb") as file:
        return _sorted_out(_zip(file, path, limits), name, limits)


def _sorted_out(members: Iterator[Member], name: str, limits: Limits) -> Members:
    documents, skipped, paths = list[Member](), list[Skipped](), list[str]()
    ignored = total = 0
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
            skipped.append(Skipped(f"{name}!{printable(member.path)}", 0, reason))
        else:
            documents.append(member._replace(path=path))
    return Members(documents, skipped, ignored, paths)


class _Header(tarfile.TarInfo):
    """A tar header that does not let a member's extended header fill the memory."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str | None, errors: str) -> Self:
        header = super().frombuf(buf, encoding, errors)  # type: ignore[arg-type]
        if header.size < 0:
            raise CollectionError("damaged: a member of negative size")
        if header.type in _EXTENSIONS and header.size > MEGABYTE:
            raise CollectionError(f"an extended header of {header.size:,} bytes; no name is that long")
        return header


def _tar(file: BinaryIO, path: str) -> Iterator[Member]:
    with tarfile.open(fileobj=file, mode="r:", tarinfo=_Header) as tar:
        while (header := tar.next()) is not None:
            tar.members.clear()  # type: ignore[attr-defined]  # else every header of a large archive stays in memory
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
            is_deflated = info.compress_type == zipfile.ZIP_DEFLATED
            place = Place(path, offset, info.compress_size, is_gzipped(info.filename), is_deflated, info.CRC)
            yield Member(info.filename, info.file_size, place, _zip_refusal(info, limits))


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
