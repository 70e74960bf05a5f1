"""The members of zip and tar archives: which are documents, images, or skipped, and their limits."""

from __future__ import annotations

import os
import posixpath
import struct
import tarfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator

from engine.collection.limits import Limits, limit_hint
from engine.collection.sources.archive_member import Member, too_many_members
from engine.collection.sources.exclusions import EXCLUDED
from engine.collection.sources.file_names import (
    HIDDEN,
    archive_kind,
    extension,
    is_document,
    is_hidden,
    shortened,
    unsafe_member_reason,
)
from engine.collection.sources.skipped import Skipped
from engine.collection.sources.tar_archive import read_tar
from engine.collection.sources.zip_archive import read_zip
from engine.errors import CollectionError
from engine.records import NamedTuple
from engine.system.files import open_regular

# What zipfile and tarfile raise for a damaged archive. RecursionError: extended headers that extend each other.
DAMAGES = (
    *(tarfile.TarError, zipfile.BadZipFile, NotImplementedError),
    *(OSError, EOFError, ValueError, OverflowError, RecursionError, struct.error),
)


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
