"""The documents of sources, each with a unique id."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from engine.collection.limits import DEFAULT_LIMITS, Limits
from engine.collection.sources.document_entry import ArchivePlace, ByteRange, DocumentEntry
from engine.collection.sources.exclusions import Exclusions, is_exclusion, unsigned
from engine.collection.sources.file_names import is_gzipped, relative_path, shared_folder, strip_extension
from engine.collection.sources.folders import File
from engine.collection.sources.skipped import Skipped
from engine.collection.sources.source_resolution import Archive, resolve_source
from engine.collection.sources.tar_decompression import decompress_tar
from engine.errors import CollectionError
from engine.progress import Progress
from engine.records import dataclass

if TYPE_CHECKING:
    from engine.collection.sources import archives


@dataclass(frozen=True)
class SourceListing:
    """The documents of sources, the skipped files, and counts of ignored ones."""

    # Source keys, in the order given.
    sources: tuple[str, ...]
    # Sorted by document id (code points); ids are unique.
    entries: list[DocumentEntry]
    skipped: list[Skipped]
    # Number of files in folders, archives and patterns whose names are not those of XML files, by extension;
    # `hidden` for hidden XML files and folders, `excluded` for excluded XML files, "" for other hidden files.
    ignored: Counter[str]
    limits: Limits
    # Exclusions, as given, that match no file.
    unmatched: tuple[str, ...] = ()


@contextmanager
def open_sources(
    sources: Sequence[str | os.PathLike[str]],
    *,
    limits: Limits = DEFAULT_LIMITS,
    temporary_folder: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Iterator[SourceListing]:
    """Yield the documents of all sources; they can be read until the context ends.

    A source is a file, a folder, a pattern, an archive (.zip, .tar, .tar.gz, .tar.xz, .tar.zst, .tar.bz2) or `@LIST`,
    a file with one source per line; `!PATTERN` excludes files of all sources. Of two documents with the same id the
    second is skipped. A damaged archive is skipped as a whole.

    Args:
        temporary_folder: where compressed tars are decompressed; the system's temporary folder if None.
        progress: called while a compressed tar is decompressed.
    Raises: CollectionError if a source does not exist, or a pattern cannot be read.
    """
    # Of equal sources the first spelling is kept, which is why both passes run backwards.
    names = {source_key(source): os.fspath(source) for source in reversed(sources)}
    keys = tuple(reversed(names))
    with tempfile.TemporaryDirectory(prefix="foxir-", dir=temporary_folder) as folder:
        entries: dict[str, DocumentEntry] = {}
        skipped: list[Skipped] = []
        ignored: Counter[str] = Counter()
        patterns = [unsigned(key) for key in keys if is_exclusion(key)]
        matched = set[str]()
        for key in keys:
            if is_exclusion(key):
                continue
            resolved = resolve_source(names[key], Exclusions.of(patterns, names[key], matched))
            skipped += resolved.skipped
            ignored += resolved.ignored
            for item, path in resolved.items_with_paths():
                if isinstance(item, File):
                    place = ByteRange(item.path, 0, -1, is_gzipped(item.path))
                    document, images = strip_extension(path), resolved.folder_of_images(item.path)
                    found = [DocumentEntry(document, item.name, key, item.size, item.mtime_ns, place, images)]
                else:
                    members = _members(item, folder, limits, progress)
                    skipped += members.skipped
                    ignored += members.ignored
                    found = _archive_entries(item, members, key, resolved.folder_of_images(item.path))
                for entry in found:
                    first = entries.setdefault(entry.document_id, entry)
                    if first is not entry:
                        reason = (
                            f"its document id {entry.document_id!r} is already that of {first.name}; rename one of them"
                        )
                        skipped.append(Skipped(entry.name, 0, reason))
        ordered = [entries[document] for document in sorted(entries)]
        unmatched = tuple(key for key in keys if is_exclusion(key) and unsigned(key) not in matched)
        yield SourceListing(keys, ordered, skipped, ignored, limits, unmatched)


def source_key(source: str | os.PathLike[str]) -> str:
    """Return the key of a source in an index: its absolute path, with `@` for a list; an exclusion as it is.

    >>> source_key("@/data/../list.txt"), source_key("/data/a/"), source_key("/data/*/x.xml"), source_key("!old/*.xml")
    ('@/list.txt', '/data/a', '/data/*/x.xml', '!old/*.xml')
    """
    text = os.fspath(source)
    if is_exclusion(text):
        return text
    return f"@{os.path.abspath(text[1:])}" if text.startswith("@") else os.path.abspath(text)


def _members(archive: Archive, folder: str, limits: Limits, progress: Progress | None) -> archives.Members:
    """Return the members of an archive; a compressed tar is decompressed into `folder`, a damaged archive skipped."""
    from engine.collection.sources import archives  # noqa: PLC0415  (imports tarfile and zipfile)

    path = archive.path
    try:
        if archive.kind not in ("zip", "tar"):
            handle, path = tempfile.mkstemp(suffix=".tar", dir=folder)
            os.close(handle)
            decompress_tar(archive.path, archive.kind, path, limits, progress)
    except CollectionError as error:
        os.unlink(path)
        return _skipped_archive(archive, error)
    try:
        members = archives.zip_members if archive.kind == "zip" else archives.tar_members
        return members(
            path, archive.name, limits, lambda member: archive.exclusions.exclude(f"{archive.path}/{member}")
        )
    except (CollectionError, *archives.DAMAGES) as error:
        if path != archive.path:
            os.unlink(path)
        return _skipped_archive(archive, error)


def _skipped_archive(archive: Archive, error: Exception) -> archives.Members:
    from engine.collection.sources import archives  # noqa: PLC0415

    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return archives.Members([], [Skipped(archive.name, 0, f"the archive is skipped: {reason}")], Counter(), [])


def _archive_entries(archive: Archive, members: archives.Members, key: str, root: str) -> list[DocumentEntry]:
    """Return the documents of an archive, sorted by id; ids are relative to the folder that all its files share."""
    folder = shared_folder(members.paths)
    name = os.path.relpath(archive.path, root)
    entries = [
        DocumentEntry(
            strip_extension(relative_path(member.path, folder)),
            f"{archive.name}!{member.path}",
            key,
            member.size,
            archive.mtime_ns,
            member.byte_range,
            root,
            ArchivePlace(name, member.path, is_zip=archive.kind == "zip"),
        )
        for member in members.documents
    ]
    return sorted(entries, key=lambda entry: entry.document_id)
