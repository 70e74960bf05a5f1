"""The members of a zip, each with the place of its bytes in the file."""

from __future__ import annotations

import os
import stat
import struct
import zipfile
from collections.abc import Iterator
from itertools import pairwise
from typing import BinaryIO

from engine.collection.limits import MEGABYTE, Limits, limit_hint
from engine.collection.sources.archive_member import Member, too_many_members
from engine.collection.sources.document_entry import ByteRange
from engine.collection.sources.file_names import is_gzipped
from engine.collection.sources.folders import kind_of_file
from engine.errors import CollectionError

# A zip's local file header: signature, length of the name, length of the extra field.
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_LOCAL_SIGNATURE = b"PK\3\4"
_ENCRYPTED = 0x1
# Indexes into a zip's end record, as zipfile returns it: size of the directory, offset of the record.
_DIRECTORY_SIZE, _END_PLACE = 5, 9
# An entry of a zip's directory: lengths of the name, the extra field, the comment.
_ENTRY = struct.Struct("<28x3H12x")
# Largest zip directory, in bytes; zipfile reads it into memory as a whole.
_LONGEST_DIRECTORY = 512 * MEGABYTE
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
            yield Member(info.filename, info.file_size, place, _skip_reason(info, limits))


def _check_directory(file: BinaryIO, limits: Limits) -> None:
    """Raise CollectionError for a zip with too many members, before `zipfile` creates an object for each."""
    end = zipfile._EndRecData(file)  # type: ignore[attr-defined]  # the record that zipfile itself will use
    if end is None or end[_DIRECTORY_SIZE] <= limits.max_members * _ENTRY.size:
        return
    if end[_DIRECTORY_SIZE] > _LONGEST_DIRECTORY:
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


def _skip_reason(info: zipfile.ZipInfo, limits: Limits) -> str | None:
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
