"""Files below a folder, and files that a pattern matches."""

import fnmatch
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from engine.collection.sources.entry import Skipped
from engine.collection.sources.names import is_document, printable, unfit

_MAGIC = re.compile(r"[*?\[]")


class File(NamedTuple):
    """A file of a source, before it is known which folder its document id starts below."""

    path: str
    name: str
    size: int
    mtime_ns: int


def kind_of_file(mode: int) -> str:
    """Return what a thing that is neither a file nor a folder is."""
    kinds = {stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}
    return kinds.get(stat.S_IFMT(mode), "something else")


class Walk:
    """A walk through a folder: the XML files below it, what was left out, and how many files are no XML by their names.

    Links to files are followed. Links to folders are followed last, and only into folders that were not read yet and
    do not hold this one, so that no loop is entered and no file is named by a link that can be named without. FIFOs,
    sockets and devices are never opened.
    """

    def __init__(self, folder: str, name: str) -> None:
        """Walk through ``folder``, an absolute path, which messages call ``name``; OSError if it cannot be read."""
        self.files: list[File] = []
        self.skipped: list[Skipped] = []
        self.ignored = 0
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
        """Take the files of a folder, then those of the folders in it, however deep they lie."""
        waiting = self._scan(folder, inside)
        while waiting:
            below, path = waiting.pop()
            try:
                waiting += self._scan(path, below)
            except OSError as error:
                self._skip_folder(below, error)

    def _scan(self, folder: str, inside: str) -> list[tuple[str, str]]:
        """Take the files of one folder; return the folders in it that are new."""
        folders: list[tuple[str, str]] = []
        with os.scandir(folder) as things:
            for thing in things:
                below = f"{inside}/{thing.name}"
                try:
                    status = thing.stat()
                except OSError as error:
                    if is_document(thing.name):
                        self._skip(below, f"cannot be read: {error.strerror}")
                    continue
                if stat.S_ISREG(status.st_mode):
                    self._take(thing, below, status)
                elif not stat.S_ISDIR(status.st_mode):
                    self._skip(below, f"{kind_of_file(status.st_mode)}, not a file")
                elif thing.is_symlink():
                    self._links.append((below, thing.path))
                elif self._is_new(status):
                    folders.append((below, thing.path))
        return folders[::-1]

    def _take(self, thing: "os.DirEntry[str]", below: str, status: os.stat_result) -> None:
        if not is_document(thing.name):
            self.ignored += 1
        elif reason := unfit(below):
            self._skip(below, reason)
        else:
            self.files.append(File(thing.path, f"{self._name}{below}", status.st_size, status.st_mtime_ns))

    def _skip(self, below: str, reason: str) -> None:
        self.skipped.append(Skipped(printable(f"{self._name}{below}"), 0, reason))

    def _skip_folder(self, below: str, error: OSError) -> None:
        self._skip(below, f"the folder cannot be read: {error.strerror}")

    def _is_new(self, status: os.stat_result) -> bool:
        identity = _identity(status)
        if identity in self._seen:
            return False
        self._seen.add(identity)
        return True


def is_pattern(source: str) -> bool:
    """Tell whether a source that is no file and no folder can be meant as a pattern."""
    return _MAGIC.search(source) is not None


def names_ending(pattern: str) -> bool:
    """Tell whether a pattern names the ending of the files it wants: then they are documents, whatever it is.

    >>> names_ending("corpus/*.nxml"), names_ending("corpus/**"), names_ending("corpus/part-*")
    (True, False, False)
    """
    return "." in _MAGIC.split(os.path.basename(pattern))[-1]


def matches(pattern: str) -> list[str]:
    """Return the files and folders that an absolute pattern matches, sorted.

    ``*``, ``?`` and ``[...]`` stay within a name and match no leading dot; a step ``**`` is any number of
    folders, links to folders apart.
    """
    return sorted(set(_matches("/", [step for step in pattern.split("/") if step])))


def _matches(folder: str, steps: list[str]) -> Iterator[str]:
    """Yield what matches the steps below a folder; a path comes twice when two ``**`` lead to it."""
    step, rest = steps[0], steps[1:]
    if step == "**":
        waiting = [folder]
        while waiting:
            each = waiting.pop()
            yield from _matches(each, rest or ["*"])
            waiting += [path for path in _things(each, "*") if os.path.isdir(path) and not os.path.islink(path)]
        return
    for path in _things(folder, step) if is_pattern(step) else [os.path.join(folder, step)]:
        if not rest and os.path.lexists(path):
            yield path
        elif rest and os.path.isdir(path):
            yield from _matches(path, rest)


def _things(folder: str, pattern: str) -> list[str]:
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    wanted = fnmatch.filter(names, pattern)
    return [os.path.join(folder, name) for name in wanted if not name.startswith(".") or pattern.startswith(".")]


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
