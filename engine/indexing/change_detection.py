"""The sources of a build, and the documents that changed since the last generation: those to read and to delete."""

from __future__ import annotations

import hashlib
import os
import shlex
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from engine.collection.ingest_report import IngestReport
from engine.collection.limits import Limits
from engine.collection.markup.splitting import file_and_number
from engine.collection.sources.concatenated import contents
from engine.collection.sources.document_entry import DocumentEntry, Skipped
from engine.collection.sources.file_names import is_document, is_hidden
from engine.collection.sources.image_files import ImageFile, image_at
from engine.collection.sources.patterns import check_is_there, is_exclusion
from engine.collection.sources.source_listing import SourceListing, open_sources, source_key
from engine.columns.checked_folder import reads_columns
from engine.errors import CollectionError
from engine.images.reader import can_read_images
from engine.index.generation import Generation
from engine.index.images.image_columns import has_images
from engine.index.manifest import Manifest
from engine.index.segment import Segment
from engine.indexing.document_images import image_digest
from engine.notices import Notice
from engine.progress import Progress
from engine.records import NamedTuple, dataclass
from engine.system.files import clock_ns
from engine.system.held_folder import HeldFolder


def wanted_sources(
    old: Manifest, sources: Sequence[str], forget: Sequence[str]
) -> tuple[list[str], tuple[str, ...], list[Notice]]:
    """Return the sources to read now, the keys of all sources of the new generation, and notices on covered sources.

    Exclusions apply to all sources: where they change, all are read.
    """
    gone = {source_key(source) for source in forget}
    if unknown := sorted(gone - set(old.sources)):
        raise CollectionError(Notice("unknown_source", {"source": unknown[0], "known": old.sources}))
    kept = [source for source in old.sources if source not in gone]
    exclusions = dict.fromkeys(source for source in (*kept, *sources) if is_exclusion(source))
    remembered = [source for source in kept if not is_exclusion(source)]
    given = {source_key(source): source for source in sources if not is_exclusion(source)}
    if not given and not remembered and not gone:
        raise CollectionError("no source: name files, folders, patterns or archives to index.")
    keys, notices = cover_sources(given, remembered)
    wanted = list(keys.values())
    if exclusions.keys() != set(filter(is_exclusion, old.sources)):
        wanted += [source for source in remembered if source not in keys]
    elif not wanted and not gone:
        wanted = remembered
    for source in wanted:
        if source in old.sources:
            check_is_there(source)
    new = [key for key in (*keys, *exclusions) if key not in kept]
    return [*wanted, *exclusions], (*kept, *new), notices


def listing_of(
    wanted: Sequence[str], limits: Limits, work: Path, progress: Progress
) -> AbstractContextManager[SourceListing]:
    """Return the documents of sources, which can be read until the context ends."""
    return open_sources(
        wanted,
        limits=limits,
        temporary_folder=work,
        progress=lambda archive, done, total: progress(f"unpacking {Path(archive).name}", done, total),
    )


class Coverage(NamedTuple):
    """The sources to read by key, without those that another one covers, and the notices on these."""

    sources: dict[str, str]
    notices: list[Notice]


def cover_sources(given: Mapping[str, str], known: Sequence[str]) -> Coverage:
    """Return the given sources, each replaced by the known or given folder that contains it.

    Args:
        given: sources by key. known: keys of the other sources that the index keeps.
    Raises: CollectionError for a folder that contains a known source, whose documents would be indexed twice.
    """
    found = Coverage({}, [])
    for key, source in given.items():
        folder = min((each for each in (*known, *given) if _contains(each, key)), key=len, default=None)  # outermost
        if folder is not None:
            found.sources.setdefault(folder, given.get(folder, folder))
            found.notices.append(Notice("part_of_source", {"source": source, "whole": folder}))
            continue
        if inner := next((each for each in known if _contains(key, each)), None):
            raise CollectionError(Notice("contains_source", {"source": source, "inner": inner}))
        found.sources.setdefault(key, source)
    return found


def _contains(folder: str, source: str) -> bool:
    """Return whether a folder contains another source, given their keys: a folder, or a file that is read below it."""
    if folder == source or not os.path.isdir(folder) or not os.path.exists(source):
        return False
    above, below = os.path.realpath(folder), os.path.realpath(source)
    inside = os.path.join(above, "")
    if not below.startswith(inside) or is_hidden(below.removeprefix(inside).replace(os.sep, "/")):
        return False
    return os.path.isdir(source) or is_document(os.path.basename(source))


@dataclass(frozen=True)
class Changes:
    """Documents to read, sorted by id, and documents to delete: segment name -> numbers in the segment.

    replaced: ids of the files to read that were indexed before. skipped: those whose id another source uses.
    """

    new: Sequence[DocumentEntry]
    deleted: Mapping[str, Sequence[int]]
    replaced: frozenset[str]
    skipped: Sequence[Skipped]


@dataclass(frozen=True)
class _Indexed:
    """A live document of the last generation, with the columns that are compared."""

    segment: Segment
    number: int

    @property
    def size_bytes(self) -> int:
        return int(self.segment.elements.column("size_bytes").slice(self.number, self.number + 1)[0])

    @property
    def digest(self) -> bytes:
        return self.segment.elements.column("digest").slice(self.number, self.number + 1).tobytes()

    @property
    def images(self) -> list[tuple[str, bytes]]:
        """The keys and digests of the images of the document."""
        folder = self.segment.elements
        if not has_images(folder):
            return []
        first, end = folder.column("images_of_document").slice(self.number, self.number + 2).tolist()
        keys = folder.strings("image_keys").take(np.arange(first, end))
        digests = folder.column("image_digest").slice(first, end)
        return [
            (key.decode("utf-8", "surrogateescape"), digest.tobytes())
            for key, digest in zip(keys, digests, strict=True)
        ]

    @property
    def source(self) -> str:
        number = int(self.segment.elements.column("source").slice(self.number, self.number + 1)[0])
        return self.segment.sources[number]


@reads_columns
def find_changes(
    old: Manifest,
    segments: Sequence[Segment],
    listed: Sequence[DocumentEntry],
    limits: Limits,
    read_now: set[str],
    forgotten: set[str],
    times: Mapping[str, int],
    progress: Progress,
    *,
    images: bool = True,
    anew: bool = False,
) -> Changes:
    """Return the documents to read and to delete.

    A document has changed if its size differs, or if its stamp is not the one given and its content or that of an image
    differs. A document that its source no longer lists is deleted. A new document whose id another source of the index
    already uses is skipped.

    Args:
        listed: the documents of the sources that are read now, and limits on them.
        read_now: keys of these sources; documents of other sources stay.
        forgotten: keys of the sources whose documents are deleted.
        times: stamps of the last build, by document id; contents are compared where there is none.
        progress: called with the bytes of the documents that have been compared.
        images: whether the images of documents are compared, too. anew: whether all documents count as changed.
    """
    known = _known_files(old, segments, {entry.document_id for entry in listed})
    new: list[DocumentEntry] = []
    gone: list[_Indexed] = []
    replaced: set[str] = set()
    skipped: list[Skipped] = []
    done, total = 0, sum(entry.size for entry in listed)
    for entry in listed:
        done += entry.size
        before = known.pop(entry.document_id, None)
        if before is None:
            new.append(entry)
        elif before[0].source != entry.source and before[0].source not in read_now | forgotten:
            skipped.append(_duplicate_id(entry, before[0]))
        elif not anew and before[0].source == entry.source and _is_same(entry, before, times, limits, images=images):
            progress("comparing", done, total)
        else:
            new.append(entry)
            gone += before
            replaced.add(entry.document_id)
    gone += [document for file in known.values() for document in file if document.source in read_now | forgotten]
    deleted: dict[str, list[int]] = {}
    for document in gone:
        deleted.setdefault(document.segment.name, []).append(document.number)
    return Changes(new, deleted, frozenset(replaced), skipped)


def _known_files(old: Manifest, segments: Sequence[Segment], files: Collection[str]) -> dict[str, list[_Indexed]]:
    """Return the live documents by the id of their file; unless it holds several, that is the document's id."""
    known: dict[str, list[_Indexed]] = {}
    for file, segment, number in _live_documents(old, segments, files):
        known.setdefault(file, []).append(_Indexed(segment, number))
    return known


def _live_documents(
    manifest: Manifest, segments: Sequence[Segment], files: Collection[str]
) -> Iterator[tuple[str, Segment, int]]:
    """Yield the id of the file, the segment and the number of each live document of a generation.

    Args:
        files: ids of the files that are listed now, some of which may hold several documents.
    """
    is_split = bool(manifest.profile.get("split"))
    for segment, entry in zip(segments, manifest.segments, strict=True):
        deleted = set(entry.deleted)
        for number, document in enumerate(segment.ids):
            if number not in deleted:
                yield _file_of(document, files, is_split=is_split), segment, number


def _file_of(document: str, files: Collection[str], *, is_split: bool) -> str:
    if not is_split and (document in files or not document.rpartition("/")[2].isdecimal()):
        return document
    file, _ = file_and_number(document)
    return file if is_split or file in files else document


@reads_columns
def live_files(manifest: Manifest, segments: Sequence[Segment], files: Collection[str]) -> dict[str, list[str]]:
    """Return the keys of the images of each file with live documents in a generation, by its id.

    Args:
        files: ids of the files that are listed.
    """
    found: dict[str, list[str]] = {}
    for file, segment, number in _live_documents(manifest, segments, files):
        found.setdefault(file, []).extend(key for key, _ in _Indexed(segment, number).images)
    return found


class Stamp(NamedTuple):
    """A number that differs where a file or an image of its documents has changed, and their last change (ns)."""

    value: int
    changed_ns: int


def stamp_of(entry: DocumentEntry, images: Sequence[str]) -> Stamp:
    """Return the stamp of a file: its modification time, unless its documents have images.

    Args:
        images: the keys of these.
    """
    if not images:
        return Stamp(entry.mtime_ns, entry.mtime_ns)
    stamps, changed_ns = [str(entry.mtime_ns)], entry.mtime_ns
    for key in images:
        file = _image_at(entry, key)
        with suppress(OSError):
            found = os.stat("" if file is None else file.path if file.member is None else file.member.byte_range.path)
            stamps.append(f"{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}")
            changed_ns = max(changed_ns, found.st_mtime_ns, found.st_ctime_ns)
        stamps.append(key)
    digest = hashlib.blake2b("\n".join(stamps).encode("utf-8", "surrogateescape"), digest_size=8).digest()
    return Stamp(int.from_bytes(digest, "big"), changed_ns)


def _is_same(
    entry: DocumentEntry, before: Sequence[_Indexed], times: Mapping[str, int], limits: Limits, *, images: bool
) -> bool:
    """Return whether a file is unchanged since its documents were indexed."""
    if entry.size != before[0].size_bytes:
        return False
    if entry.document_id in times:
        keys = [key for each in before for key, _ in each.images]
        if times[entry.document_id] == stamp_of(entry, keys).value:
            return True
    if images and not all(_has_same_images(entry, each, limits) for each in before):
        return False
    try:
        with contents(entry, limits.max_file_bytes) as found:
            return found.digest == before[0].digest
    except CollectionError:
        return False


def _has_same_images(entry: DocumentEntry, before: _Indexed, limits: Limits) -> bool:
    """Return whether the images of a document are unchanged; True if images cannot be read."""
    images = before.images
    if not images or not can_read_images():
        return True
    try:
        for key, digest in images:
            file = _image_at(entry, key)
            if file is None or image_digest(file.read(limits.max_image_bytes)) != digest:
                return False
    except OSError:
        return False
    return True


def _image_at(entry: DocumentEntry, key: str) -> ImageFile | None:
    return image_at(entry.root, key, entry.byte_range.path if entry.place else "")


def _duplicate_id(entry: DocumentEntry, before: _Indexed) -> Skipped:
    reason = (
        f"its document id {entry.document_id!r} is already that of a document from {before.source}; rename one of "
        f"them, or, if that source has moved, remove it from the index (remove {shlex.quote(before.source)})"
    )
    return Skipped(entry.name, 0, reason)


# A file that was changed so shortly before a build (in ns) may change again without a new time: its time is not stored.
FRESH = 2 * 10**9


def settled_before(folder: Path) -> int:
    """Return the time, in ns since 1970, up to which modification times are stored: later ones may still change.

    Of the clock of this machine and that of the file system of a folder, which may be a server's, the earlier one
    counts: one that is ahead would take any time for an old one.
    """
    return min(time.time_ns(), clock_ns(folder)) - FRESH


def known_report(index: Path, generation: Generation) -> IngestReport:
    """Return the report of the build that made a generation; an empty one if the report on disk is of another."""
    report = IngestReport.load(index)
    return report if report.manifest == manifest_digest(generation) else IngestReport()


def carry_times(index: HeldFolder, old: Generation, new: Generation) -> None:
    """Make the times of a generation valid for another one of the same documents."""
    report = known_report(index.path, old)
    if report.manifest and new != old:
        replace(report, manifest=manifest_digest(new)).write(index)


def manifest_digest(generation: Generation) -> str:
    """Return the SHA-256 of a generation, which its report contains."""
    return hashlib.sha256(generation.to_bytes()).hexdigest()
