"""The XML files of a folder and its subfolders."""

from __future__ import annotations

import os
import posixpath
import stat
from collections import Counter
from pathlib import Path

from engine.collection.sources.document_entry import Skipped
from engine.collection.sources.file_names import HIDDEN, INDEX, extension, invalid_name_reason, is_document, is_hidden
from engine.collection.sources.patterns import EXCLUDED, Exclusions
from engine.records import NamedTuple
from engine.wording import printable

# What a folder has that is an index of foxir.
FILES_OF_INDEX = {"manifest.json", "segments"}


class File(NamedTuple):
    """A file of a source; its document id depends on the folder that all files of the source share."""

    path: str
    name: str
    size: int
    mtime_ns: int


def kind_of_file(mode: int) -> str:
    """Return the kind of a file system entry that is neither a file nor a folder, with its article."""
    kinds = {stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}
    return kinds.get(stat.S_IFMT(mode), "something else")


class FolderWalk:
    """A folder tree, read: its XML files, skipped ones, and the numbers of other files by extension.

    Hidden files and folders inside it, whose names begin with a dot, are not read, nor are indexes of foxir.

    Links to files are followed. Links to folders are followed last, and only to folders that have not been read and do
    not contain this one: no loop is entered, and no file gets its name through a link if it can be reached without
    one. FIFOs, sockets and devices are never opened.
    """

    def __init__(self, folder: str, name: str, exclusions: Exclusions) -> None:
        """Read `folder`, an absolute path that messages call `name`; raises OSError if it cannot be read."""
        self._folder = folder.rstrip("/")
        self._exclusions = exclusions
        self.files: list[File] = []
        self.skipped: list[Skipped] = []
        self.ignored: Counter[str] = Counter()
        self._name = name.rstrip("/")
        self._links: list[tuple[str, str]] = []
        real = Path(folder).resolve()
        self._seen = {_identity(status) for status in map(os.stat, (real, *real.parents))}
        self._read(folder)
        while self._links:
            self._links.sort(reverse=True)
            below, path = self._links.pop()
            if self._is_new(os.stat(path)):
                try:
                    self._read(path, below)
                except OSError as error:
                    self._skip_folder(below, error)
        self.files.sort()

    def _read(self, folder: str, inside: str = "") -> None:
        """Add the files of a folder and of all folders below it."""
        # An explicit stack: folders may be nested deeper than Python's recursion limit.
        waiting = self._scan(folder, inside)
        while waiting:
            below, path = waiting.pop()
            try:
                waiting += self._scan(path, below)
            except OSError as error:
                self._skip_folder(below, error)

    def _scan(self, folder: str, inside: str) -> list[tuple[str, str]]:
        """Add the files directly in a folder; return its subfolders that have not been read."""
        folders: list[tuple[str, str]] = []
        with os.scandir(folder) as found:
            items = list(found)
            if inside and {item.name for item in items} >= FILES_OF_INDEX:
                self.ignored[INDEX] += 1
                return []
            for item in items:
                below, path = f"{inside}/{item.name}", posixpath.join(folder, item.name)
                if is_hidden(item.name) and (is_document(item.name) or item.is_dir()):
                    self.ignored[HIDDEN] += 1
                    continue
                try:
                    status = item.stat()
                except OSError as error:
                    if is_document(item.name):
                        self._skip(below, f"cannot be read: {error.strerror}")
                    continue
                if stat.S_ISREG(status.st_mode):
                    self._add_file(path, item.name, below, status)
                elif not stat.S_ISDIR(status.st_mode):
                    self._skip(below, f"{kind_of_file(status.st_mode)}, not a file")
                elif item.is_symlink():
                    self._links.append((below, path))
                elif self._is_new(os.stat(path)):  # on Windows, a listing says nothing of identity
                    folders.append((below, path))
        return folders[::-1]

    def _add_file(self, path: str, name: str, below: str, status: os.stat_result) -> None:
        if not is_document(name):
            self.ignored[extension(name)] += 1
        elif self._excludes(below):
            self.ignored[EXCLUDED] += 1
        elif reason := invalid_name_reason(below):
            self._skip(below, reason)
        else:
            self.files.append(File(path, f"{self._name}{below}", status.st_size, status.st_mtime_ns))

    def _excludes(self, below: str) -> bool:
        return self._exclusions.exclude(f"{self._folder}{below}")

    def _skip(self, below: str, reason: str) -> None:
        if self._excludes(below):
            return
        self.skipped.append(Skipped(printable(f"{self._name}{below}"), 0, reason))

    def _skip_folder(self, below: str, error: OSError) -> None:
        self._skip(below, f"the folder cannot be read: {error.strerror}")

    def _is_new(self, status: os.stat_result) -> bool:
        identity = _identity(status)
        if identity in self._seen:
            return False
        self._seen.add(identity)
        return True


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
