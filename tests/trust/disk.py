"""What a disk may hold after the power failed: a writer's calls are recorded, and legal states made from the record.

`python -m tests.trust.disk FOLDER INDEX [SOURCE [ENCODER]]` brings an index in a folder up to date with a source
(without one compacts it) and writes what happened, pickled, to stdout. Only what was made durable by fsync is certain
to be on the disk: the bytes of a file by its own fsync, its name by that of the folder that holds it. Of everything
else any part may be there, in any order; a rename is there or not.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
CHANGES = {"os.rename", "os.mkdir", "os.remove", "os.rmdir"}

Name = tuple[int, str]  # number of a folder, name in it
Tree = dict[Name, int]  # number by name: files and folders are numbered as they come to be, for inodes are used again


class Entry(NamedTuple):
    """A change of names that happens as one: names that come to stand for something, names that go (None)."""

    names: dict[Name, int | None]
    new: tuple[int, ...]  # what was not there before
    publishes: bool  # puts the manifest in its place


class Sync(NamedTuple):
    """A file that is made durable, with its bytes; None for a folder, whose names are."""

    number: int
    data: bytes | None


@dataclass
class Record:
    """What a writer did, in order, and the tree it began with."""

    root: int
    before: Tree
    folders: set[int]
    bytes_before: dict[int, bytes]
    bytes_after: dict[int, bytes] = field(default_factory=dict)  # of files that still exist
    calls: list[Entry | Sync] = field(default_factory=list)

    @property
    def published(self) -> int:
        """Return the number of the call that puts the manifest in its place."""
        return next(number for number, call in enumerate(self.calls) if isinstance(call, Entry) and call.publishes)


def record(folder: Path, index: Path, source: Path | None, encoder: str | None = None) -> Record:
    """Return what a writer does in a folder."""
    given = map(str, filter(None, (folder, index, source, encoder)))
    command = [sys.executable, "-m", "tests.trust.disk", *given]
    result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    recorded: Record = pickle.loads(result.stdout)
    return recorded


Choice = Callable[[int], bool]  # whether what is not certain is on the disk; given its number, counted from the newest


def nothing(_age: int) -> bool:
    return False


def everything(_age: int) -> bool:
    return True


def newest(age: int) -> bool:
    return age == 0


def all_but_newest(age: int) -> bool:
    return age > 0


def some(random: Random) -> Choice:
    return lambda _age: random.random() < 0.5


def rebuild(recorded: Record, n_calls: int, names: Choice, contents: Choice, folder: Path) -> None:
    """Make the folder what the disk may hold when the power fails after some calls."""
    durable = dict(recorded.before)
    data: dict[int, bytes | None] = dict(recorded.bytes_before)
    pending: list[Entry] = []
    for call in recorded.calls[:n_calls]:
        if isinstance(call, Entry):
            pending.append(call)
            data.update(dict.fromkeys(call.new))
        elif call.data is not None:
            data[call.number] = call.data
        else:
            certain = [entry for entry in pending if all(parent == call.number for parent, _ in entry.names)]
            pending = [entry for entry in pending if entry not in certain]
            for entry in certain:
                _apply(durable, entry)
    for age, entry in reversed(list(enumerate(reversed(pending)))):
        if names(age):
            _apply(durable, entry)
    unsure = [inode for inode, known in data.items() if known is None and inode not in recorded.folders]
    for age, inode in enumerate(reversed(unsure)):
        whole = recorded.bytes_after.get(inode, b"")
        data[inode] = whole if contents(age) else whole[: len(whole) // 2]
    _write(durable, recorded.root, data, recorded.folders, folder)


def _apply(tree: Tree, entry: Entry) -> None:
    for name, inode in entry.names.items():
        if inode is None:
            tree.pop(name, None)
        else:
            tree[name] = inode


def _write(tree: Tree, inode: int, data: dict[int, bytes | None], folders: set[int], folder: Path) -> None:
    folder.mkdir()
    for (parent, name), child in tree.items():
        if parent == inode:
            if child in folders:
                _write(tree, child, data, folders, folder / name)
            else:
                (folder / name).write_bytes(data[child] or b"")


class Recorder:
    """Looks at a folder before every call that may change it: what it sees differs by one call from what it saw."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers: dict[int, int] = {}  # by inode
        self._count = 0
        self._tree, folders = self._look()
        self.record = Record(self._numbers[folder.stat().st_ino], dict(self._tree), folders, self._bytes())
        self._fsync = os.fsync
        self._is_looking = False
        os.fsync = self.sync
        sys.addaudithook(self._hook)

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        is_change = event in CHANGES or (event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR))
        if is_change and not self._is_looking:
            self.look()

    def look(self) -> None:
        """Note what the last call changed."""
        self._is_looking = True
        known = set(self._tree.values())
        tree, folders = self._look()
        if tree != self._tree:
            names = [name for name in tree.keys() | self._tree.keys() if tree.get(name) != self._tree.get(name)]
            changed = {name: tree.get(name) for name in names}
            for part in _apart(changed, known):
                new = tuple(number for number in part.values() if number is not None and number not in known)
                self.record.calls.append(Entry(part, new, any(name == "manifest.json" for _, name in part)))
            self.record.folders |= folders
            self._tree = tree
        self._is_looking = False

    def sync(self, handle: int) -> None:
        """Note what is made durable."""
        self.look()
        path = Path(os.readlink(f"/proc/self/fd/{handle}"))
        inode = os.fstat(handle).st_ino
        if inode in self._numbers:  # not the folder that holds the recorded one
            self.record.calls.append(Sync(self._numbers[inode], None if path.is_dir() else path.read_bytes()))
        self._fsync(handle)

    def finish(self) -> Record:
        """Return the record of all that happened."""
        self.look()
        self._is_looking = True
        self.record.bytes_after = self._bytes()
        return self.record

    def _look(self) -> tuple[Tree, set[int]]:
        found: dict[tuple[int, str], int] = {}  # inodes
        folders = set()
        todo = [str(self._folder)]
        while todo:
            path = todo.pop()
            inode = os.stat(path).st_ino
            folders.add(inode)
            with os.scandir(path) as entries:
                for entry in entries:
                    found[inode, entry.name] = entry.inode()
                    if entry.is_dir():
                        todo.append(entry.path)
        seen = folders | set(found.values())
        self._numbers = {inode: number for inode, number in self._numbers.items() if inode in seen}
        for inode in sorted(seen - self._numbers.keys()):
            self._numbers[inode] = self._count = self._count + 1
        numbers = self._numbers
        tree = {(numbers[parent], name): numbers[inode] for (parent, name), inode in found.items()}
        return tree, {numbers[inode] for inode in folders}

    def _bytes(self) -> dict[int, bytes]:
        files = [path for path in self._folder.rglob("*") if path.is_file()]
        return {self._numbers[path.stat().st_ino]: path.read_bytes() for path in files}


def _apart(changed: dict[Name, int | None], known: set[int | None]) -> Iterator[dict[Name, int | None]]:
    """Yield the changes that happened as one: of renames and removals all names, of new ones those of one folder.

    SQLite makes files that no call announces, so that several changes are seen at a time.
    """
    moved = {name: number for name, number in changed.items() if number is None or number in known}
    made = [(name, number) for name, number in changed.items() if name not in moved]
    if moved:
        yield moved
    for folder in sorted({parent for (parent, _), _ in made}):
        yield {name: number for name, number in made if name[0] == folder}


def main(folder: str, index: str, source: str | None = None, encoder: str | None = None) -> None:
    from engine.indexing.build import compact_index, update_index  # noqa: PLC0415  (the other half needs none of it)
    from tests.engine.index.index_contents import SETTINGS  # noqa: PLC0415

    recorder = Recorder(Path(folder))
    if source is None:
        compact_index(Path(index))
    else:
        update_index(Path(index), [source], replace(SETTINGS, vectors=encoder))
    sys.stdout.buffer.write(pickle.dumps(recorder.finish()))


if __name__ == "__main__":
    from tests.trust import disk  # what is pickled must not be called __main__'s

    disk.main(*sys.argv[1:])
