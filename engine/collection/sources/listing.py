"""Listing: the documents of some sources, each with an id of its own."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from engine.collection.limits import DEFAULT_LIMITS, Limits
from engine.collection.sources import archives, spool
from engine.collection.sources.entry import Entry, Place, Skipped
from engine.collection.sources.files import File
from engine.collection.sources.names import below, is_gzipped, shared_folder, without_ending
from engine.collection.sources.parts import Archive, find_parts
from engine.errors import CollectionError


@dataclass(frozen=True)
class SourceListing:
    """The documents of some sources, and what was left out."""

    sources: tuple[str, ...]
    """The keys of the sources, in the order they were given."""
    entries: list[Entry]
    """The documents, by id in the order of code points; no id comes twice."""
    skipped: list[Skipped]
    ignored: int
    """Files in folders, archives and patterns that are no XML by their names."""
    limits: Limits


@contextmanager
def open_sources(
    sources: Sequence[str | os.PathLike[str]],
    *,
    limits: Limits = DEFAULT_LIMITS,
    spool_folder: str | os.PathLike[str] | None = None,
    progress: spool.Progress | None = None,
) -> Iterator[SourceListing]:
    """Give the documents of all sources; they can be read until the context ends.

    A source is a file, a folder, a pattern, an archive (.zip, .tar, .tar.gz, .tar.xz, .tar.zst, .tar.bz2) or ``@LIST``,
    a file with a source a line. Of two documents with one id the second is left out. An archive that is damaged is left
    out as a whole.

    Args:
        spool_folder: where compressed tars are unpacked; the system's temporary folder when None.
        progress: called while a compressed tar is unpacked.
    Raises: CollectionError if a source does not exist.
    """
    names = {source_key(source): os.fspath(source) for source in reversed(sources)}
    keys = tuple(reversed(names))
    with tempfile.TemporaryDirectory(prefix="foxir-", dir=spool_folder) as folder:
        entries: dict[str, Entry] = {}
        skipped: list[Skipped] = []
        ignored = 0
        for key in keys:
            parts = find_parts(names[key])
            skipped += parts.skipped
            ignored += parts.ignored
            for item, path in parts.named():
                if isinstance(item, File):
                    place = Place(item.path, 0, -1, is_gzipped(item.path))
                    found = [Entry(without_ending(path), item.name, key, item.size, item.mtime_ns, place)]
                else:
                    members = _members(item, folder, limits, progress)
                    skipped += members.skipped
                    ignored += members.ignored
                    found = _entries(item, members, key)
                for entry in found:
                    first = entries.setdefault(entry.document, entry)
                    if first is not entry:
                        reason = (
                            f"its document id {entry.document!r} is already that of {first.name}; rename one of them"
                        )
                        skipped.append(Skipped(entry.name, 0, reason))
        ordered = [entries[document] for document in sorted(entries)]
        yield SourceListing(keys, ordered, skipped, ignored, limits)


def source_key(source: str | os.PathLike[str]) -> str:
    """Return what an index remembers a source by: its absolute path; lists keep their ``@``.

    >>> source_key("@/data/../list.txt"), source_key("/data/a/"), source_key("/data/*/x.xml")
    ('@/list.txt', '/data/a', '/data/*/x.xml')
    """
    text = os.fspath(source)
    return f"@{os.path.abspath(text[1:])}" if text.startswith("@") else os.path.abspath(text)


def _members(archive: Archive, folder: str, limits: Limits, progress: spool.Progress | None) -> archives.Members:
    """Return the members of an archive, unpacked into ``folder`` if need be; of a damaged one only the reason."""
    path = archive.path
    try:
        if archive.kind not in ("zip", "tar"):
            handle, path = tempfile.mkstemp(suffix=".tar", dir=folder)
            os.close(handle)
            spool.unpack(archive.path, archive.kind, path, limits, progress)
    except CollectionError as error:
        os.unlink(path)
        return _left_out(archive, error)
    try:
        members = archives.zip_members if archive.kind == "zip" else archives.tar_members
        return members(path, archive.name, limits)
    except (CollectionError, *archives.DAMAGES) as error:
        if path != archive.path:
            os.unlink(path)
        return _left_out(archive, error)


def _left_out(archive: Archive, error: Exception) -> archives.Members:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return archives.Members([], [Skipped(archive.name, 0, f"the archive is left out: {reason}")], 0, [])


def _entries(archive: Archive, members: archives.Members, key: str) -> list[Entry]:
    """Return the documents of an archive, by id; their ids start below the folder that all its files share."""
    folder = shared_folder(members.paths)
    entries = [
        Entry(
            without_ending(below(member.path, folder)),
            f"{archive.name}!{member.path}",
            key,
            member.size,
            archive.mtime_ns,
            member.place,
        )
        for member in members.documents
    ]
    return sorted(entries, key=lambda entry: entry.document)
