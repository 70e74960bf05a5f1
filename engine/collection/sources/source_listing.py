"""The documents of sources, each with a unique id: from a source as a user names it to files and archives."""

from __future__ import annotations

import os
import stat
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from engine.collection.limits import DEFAULT_LIMITS, Limits
from engine.collection.sources.document_entry import ArchivePlace, ByteRange, DocumentEntry, Skipped
from engine.collection.sources.file_names import (
    archive_kind,
    extension,
    invalid_name_reason,
    is_document,
    is_gzipped,
    relative_path,
    shared_folder,
    strip_extension,
)
from engine.collection.sources.folders import File, FolderWalk, kind_of_file
from engine.collection.sources.patterns import (
    EXCLUDED,
    SIGN,
    Exclusions,
    ends_with_extension,
    is_exclusion,
    is_pattern,
    matching_paths,
    unsigned,
)
from engine.collection.sources.tar_decompression import decompress_tar
from engine.errors import CollectionError
from engine.progress import Progress
from engine.records import NamedTuple
from engine.system.files import in_place_of, plain_reason
from engine.system.input_files import read_input
from engine.system.platform import absolute
from engine.wording import printable

if TYPE_CHECKING:
    from engine.collection.sources import archives

# Depth of lists that name lists; bounds the recursion.
MAX_NESTED_LISTS = 50
EXPECTED = "expected a file, a folder, a pattern, an archive or @LIST"


class Archive(NamedTuple):
    """An archive of a source; `kind` is that of `archive_kind`. exclusions: of members, by their paths below it."""

    path: str
    name: str
    kind: str
    mtime_ns: int
    exclusions: Exclusions


@dataclass
class ResolvedSource:
    """The files and archives of one source.

    Document ids are relative to `folder`, or, where it is None, to the longest folder that all files share.
    """

    items: list[File | Archive] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    ignored: Counter[str] = field(default_factory=Counter)
    folder: str | None = None
    # Of files in folders that a list or a pattern names: that folder.
    folders: dict[str, str] = field(default_factory=dict)

    @property
    def folder_of_ids(self) -> str:
        """The folder that document ids are relative to."""
        if self.folder is not None:
            return self.folder
        return shared_folder({item.path for item in self.items if isinstance(item, File)})

    def folder_of_images(self, path: str) -> str:
        """Return the folder inside which the images of a document are read: the one that was named, else its own."""
        return self.folder or self.folders.get(path) or os.path.dirname(path)

    def items_with_paths(self) -> Iterator[tuple[File | Archive, str]]:
        """Yield every file and archive once, with its path relative to the folder of document ids."""
        unique: dict[str, File | Archive] = {}
        for item in self.items:
            unique.setdefault(item.path, item)
        folder = self.folder_of_ids
        for path, item in unique.items():
            yield item, relative_path(path, folder)

    def extend(self, other: ResolvedSource) -> None:
        """Add the files and archives of another source; the folder stays."""
        self.items += other.items
        for item in other.items:
            self.folders.setdefault(item.path, other.folder_of_images(item.path))
        self.skipped += other.skipped
        self.ignored += other.ignored


def resolve_source(source: str, exclusions: Exclusions, where: str = "", lists: tuple[str, ...] = ()) -> ResolvedSource:
    """Return the files and archives of a source.

    Args:
        exclusions: what is not read of it.
        where: prefix of messages: the line of the list that names the source.
        lists: absolute paths of the lists that are being read, outermost first.
    Raises: CollectionError if the source does not exist or cannot be read.
    """
    if not source:
        raise CollectionError(f"{where}empty source: {EXPECTED}.")
    if source.startswith("@"):
        return _from_list(source[1:], exclusions, where, lists)
    path = absolute(source)
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError as error:
        if is_pattern(source):
            return _from_pattern(source, path, exclusions, where)
        looked_for = "" if source == path else f" (looked for {path!r})"
        found = f"{looked_for}{in_place_of(Path(path))}"
        raise CollectionError(f"{where}no such source: {source!r}{found}; {EXPECTED}.") from error
    except (OSError, ValueError) as error:
        reason = plain_reason(path, error) if isinstance(error, OSError) else error
        raise CollectionError(f"{where}the source {source!r} cannot be read: {reason}; {EXPECTED}.") from error
    if stat.S_ISDIR(mode):
        return _from_folder(source, path, exclusions, where)
    if not stat.S_ISREG(mode):
        raise CollectionError(f"{where}{source} is {kind_of_file(mode)}: expected a file, a folder or an archive.")
    resolved = ResolvedSource(folder=os.path.dirname(path))
    _add_file(resolved, path, source, exclusions)
    return resolved


def _add_file(resolved: ResolvedSource, path: str, name: str, exclusions: Exclusions) -> None:
    """Add a file that was named or matched: an archive if it has the extension of one, else a document."""
    if exclusions.exclude(path):
        resolved.ignored[EXCLUDED] += 1
        return
    kind = archive_kind(path)
    if reason := invalid_name_reason(path):
        resolved.skipped.append(Skipped(printable(name), 0, reason))
        return
    status = os.stat(path)
    if kind:
        resolved.items.append(Archive(path, name, kind, status.st_mtime_ns, exclusions))
    else:
        resolved.items.append(File(path, name, status.st_size, status.st_mtime_ns))


def _from_folder(source: str, path: str, exclusions: Exclusions, where: str) -> ResolvedSource:
    try:
        walk = FolderWalk(path, source, exclusions)
    except OSError as error:
        raise CollectionError(f"{where}the folder {source!r} cannot be read: {error.strerror}.") from error
    return ResolvedSource([*walk.files], walk.skipped, walk.ignored, path)


def _from_pattern(source: str, pattern: str, exclusions: Exclusions, where: str) -> ResolvedSource:
    """Return the matches of a pattern: files by their extension or the pattern's, folders with all below them."""
    found = matching_paths(pattern)
    if not found:
        raise CollectionError(f"{where}no file matches {source!r} (looked for {pattern!r}).")
    resolved = ResolvedSource()
    shown = "" if os.path.isabs(source) else f"{absolute('')}/"
    for path in found:
        name = path.removeprefix(shown)
        if os.path.isdir(path):
            resolved.extend(_from_folder(name, path, exclusions, where))
        elif not os.path.isfile(path) and not exclusions.exclude(path):
            resolved.skipped.append(Skipped(printable(name), 0, "neither a file nor a folder"))
        elif is_document(os.path.basename(path)) or archive_kind(path) or ends_with_extension(pattern):
            _add_file(resolved, path, name, exclusions)
        else:
            resolved.ignored[extension(os.path.basename(path))] += 1
    return resolved


def _from_list(source: str, exclusions: Exclusions, where: str, lists: tuple[str, ...]) -> ResolvedSource:
    """Return the sources of a list, one per line and relative to its folder; blank lines and `#` lines are ignored.

    A line `!PATTERN` excludes files of the list (`excluded_by`).
    """
    path = absolute(source)
    if path in lists:
        raise CollectionError(f"{where}the list {source!r} contains itself: remove this line.")
    if len(lists) >= MAX_NESTED_LISTS:
        raise CollectionError(f"{where}lists nested more than {MAX_NESTED_LISTS} deep: merge them into one list.")
    try:
        if not os.path.isfile(path):
            found = "" if os.path.exists(path) else in_place_of(Path(path))
            raise CollectionError(f"{where}no such list: {source!r} (looked for the file {path!r}){found}.")
        lines = read_input(path).decode("utf-8-sig").split("\n")
    except OSError as error:
        raise CollectionError(f"{where}the list {source!r} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise CollectionError(f"{where}the list {source!r} is not UTF-8 at byte {error.start}.") from error
    named = [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]
    excluded = [(text[1:].strip(), f"{source}:{number}: ") for number, text in named if text.startswith(SIGN)]
    exclusions = exclusions.below(os.path.dirname(path), excluded)
    resolved = ResolvedSource()
    for number, text in named:
        if not text.startswith((SIGN, "#")):
            at = "@" if text.startswith("@") else ""
            name = at + os.path.join(os.path.dirname(source), text.removeprefix("@"))
            resolved.extend(resolve_source(name, exclusions, f"{source}:{number}: ", (*lists, path)))
    return resolved


@dataclass(frozen=True)
class SourceListing:
    """The documents of sources, the skipped files, and counts of ignored ones."""

    # Source keys, in the order given.
    sources: tuple[str, ...]
    # Sorted by document id (code points); ids are unique.
    entries: list[DocumentEntry]
    skipped: list[Skipped]
    # Number of files in folders, archives and patterns whose names are not those of XML files, by extension;
    # `hidden` for hidden XML files and folders, `foxir index` for such folders, `excluded` for excluded XML files, ""
    # for other hidden files.
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
    names = {source_key(source): os.fspath(source).replace(os.sep, "/") for source in reversed(sources)}
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
    return f"@{absolute(text[1:])}" if text.startswith("@") else absolute(text)


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
    name = os.path.relpath(archive.path, root).replace(os.sep, "/")
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
