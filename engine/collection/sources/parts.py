"""Parts: the files and archives that a source, as a user names it, leads to."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from engine.collection.sources.entry import Skipped
from engine.collection.sources.files import File, Walk, is_pattern, kind_of_file, matches, names_ending
from engine.collection.sources.names import archive_kind, below, is_document, printable, shared_folder, unfit
from engine.errors import CollectionError

MOST_LISTS = 50  # each named in the one before it


class Archive(NamedTuple):
    """An archive that a source leads to; ``kind`` as ``archive_kind`` gives it."""

    path: str
    name: str
    kind: str
    mtime_ns: int


@dataclass
class Parts:
    """What one source leads to; the ids of its files start below ``folder``, or below the one they share."""

    items: list[File | Archive] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    ignored: int = 0
    folder: str | None = None

    def named(self) -> Iterator[tuple[File | Archive, str]]:
        """Yield every part once; files with their path below the folder where ids start."""
        unique: dict[str, File | Archive] = {}
        for item in self.items:
            unique.setdefault(item.path, item)
        folder = self.folder
        if folder is None:
            folder = shared_folder(item.path for item in unique.values() if isinstance(item, File))
        for path, item in unique.items():
            yield item, below(path, folder)

    def add(self, other: "Parts") -> None:
        """Take what another source leads to, but for its folder."""
        self.items += other.items
        self.skipped += other.skipped
        self.ignored += other.ignored


def find_parts(source: str, where: str = "", lists: tuple[str, ...] = ()) -> Parts:
    """Return what a source leads to.

    Args:
        where: the line of a list that names it, as messages begin. lists: the lists that are being read.
    Raises: CollectionError if the source does not exist or cannot be read.
    """
    if not source:
        raise CollectionError(f"{where}an empty source; a source is a file, a folder, a pattern, an archive or @LIST.")
    if source.startswith("@"):
        return _from_list(source[1:], where, lists)
    path = os.path.abspath(source)
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError as error:
        if is_pattern(source):
            return _from_pattern(source, path, where)
        raise CollectionError(f"{where}no such source: {source!r} (looked for {path!r}).") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise CollectionError(f"{where}the source {source!r} cannot be read: {reason}.") from error
    if stat.S_ISDIR(mode):
        return _from_folder(source, path, where)
    if not stat.S_ISREG(mode):
        raise CollectionError(f"{where}{source} is {kind_of_file(mode)}; a source is a file, a folder or an archive.")
    parts = Parts(folder=os.path.dirname(path))
    _add_file(parts, path, source)
    return parts


def _add_file(parts: Parts, path: str, name: str) -> None:
    """Add a file that was named, or matched a pattern, whatever its ending; archives by their ending."""
    kind = archive_kind(path)
    if reason := unfit(path):
        parts.skipped.append(Skipped(printable(name), 0, reason))
        return
    status = os.stat(path)
    if kind:
        parts.items.append(Archive(path, name, kind, status.st_mtime_ns))
    else:
        parts.items.append(File(path, name, status.st_size, status.st_mtime_ns))


def _from_folder(source: str, path: str, where: str) -> Parts:
    try:
        walk = Walk(path, source)
    except OSError as error:
        raise CollectionError(f"{where}the folder {source!r} cannot be read: {error.strerror}.") from error
    return Parts([*walk.files], walk.skipped, walk.ignored, path)


def _from_pattern(source: str, pattern: str, where: str) -> Parts:
    """Files are documents by their ending, or by that of the pattern; folders give what is below them."""
    found = matches(pattern)
    if not found:
        raise CollectionError(f"{where}no file matches {source!r} (looked for {pattern!r}).")
    parts = Parts()
    shown = "" if os.path.isabs(source) else f"{os.path.abspath('')}/"
    for path in found:
        name = path.removeprefix(shown)
        if os.path.isdir(path):
            parts.add(_from_folder(name, path, where))
        elif not os.path.isfile(path):
            parts.skipped.append(Skipped(printable(name), 0, "neither a file nor a folder"))
        elif is_document(os.path.basename(path)) or archive_kind(path) or names_ending(pattern):
            _add_file(parts, path, name)
        else:
            parts.ignored += 1
    return parts


def _from_list(source: str, where: str, lists: tuple[str, ...]) -> Parts:
    """Read a list: a source a line, relative to the list's folder; blank lines and lines after # do not count."""
    path = os.path.abspath(source)
    if path in lists:
        raise CollectionError(f"{where}the list {source!r} names itself.")
    if len(lists) >= MOST_LISTS:
        raise CollectionError(f"{where}more than {MOST_LISTS} lists, each in another: name what they hold in one.")
    try:
        if not os.path.isfile(path):
            raise CollectionError(f"{where}no such list: {source!r} (looked for the file {path!r}).")
        lines = Path(path).read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise CollectionError(f"{where}the list {source!r} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise CollectionError(f"{where}the list {source!r} is not UTF-8 at byte {error.start}.") from error
    parts = Parts()
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text and not text.startswith("#"):
            at = "@" if text.startswith("@") else ""
            name = at + os.path.join(os.path.dirname(source), text.removeprefix("@"))
            parts.add(find_parts(name, f"{source}:{number}: ", (*lists, path)))
    return parts
