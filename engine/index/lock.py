"""One writer at a time: an advisory lock that the system drops with its holder, so a stale one never blocks."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from engine.errors import CollectionError, IndexLockedError
from engine.index.writing import sync_folder
from engine.plain import open_plain

LOCK = "lock"
LONGEST_HOLDER = 1000  # bytes that say who holds it
FULL = "No space left on device"  # NumPy says only how much of it was written

_held: set[BinaryIO] = set()


@contextmanager
def writer_lock(index: Path) -> Iterator[None]:
    """Hold the index for writing; a folder that is made for it goes again when nothing comes of it.

    Raises: IndexLockedError naming the holder when another process holds it; CollectionError when the folder cannot be
        written, now or later.
    """
    is_new = not index.exists()
    try:
        _make_durably(index)
        file = open_plain(index / LOCK, write=True)
    except OSError as error:
        what = index / LOCK if error.errno in (errno.ELOOP, errno.EINVAL) else index
        raise CollectionError(f"{what}: cannot be written: {error.strerror}.") from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise IndexLockedError(f"{index}: {_holder(index)} is writing it: wait, or stop that process.") from None
        if not _is_the_lock(file, index):
            raise IndexLockedError(f"{index}: another process has just taken its lock away: do it again.")
        _held.add(file)
        try:
            _sign(file)
            yield
        except BaseException as error:
            if is_new:
                _remove(index)
            if isinstance(error, OSError):
                raise CollectionError(
                    f"{index}: cannot be written: {error.strerror or FULL}: the index is whole; make room or mend what "
                    "hinders, then do it again."
                ) from error
            raise
        finally:
            _held.discard(file)
        _empty(file)


def _is_the_lock(file: BinaryIO, index: Path) -> bool:
    """Return whether a file is still the lock of an index: a writer that failed may have removed it meanwhile."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.lstat(index / LOCK))
    except FileNotFoundError:
        return False


def _sign(file: BinaryIO) -> None:
    """Write into a lock who holds it."""
    if not _empty(file):
        return
    since = datetime.now(UTC).isoformat(timespec="seconds")
    holder = {"process": os.getpid(), "host": socket.gethostname(), "since": since}
    os.write(file.fileno(), json.dumps(holder).encode())


def _empty(file: BinaryIO) -> bool:
    """Empty a lock; return whether it was: one with other names may be anybody's file, and stays as it is."""
    if os.fstat(file.fileno()).st_nlink > 1:
        return False
    file.truncate(0)
    return True


def _make_durably(folder: Path) -> None:
    """Make a folder, and those above it that are not there; their names are durable then."""
    made = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for each in made:
        sync_folder(each.parent)


def leave_locks_to_parent() -> None:
    """Close the locks that came with a fork: the process that took them holds them, alone, and while it lives."""
    while _held:
        _held.pop().close()


def _remove(index: Path) -> None:
    """Remove an index in which nothing stands but the lock."""
    if all(path.name == LOCK for path in index.iterdir()):
        (index / LOCK).unlink()
        index.rmdir()


def _holder(index: Path) -> str:
    try:
        with open_plain(index / LOCK) as file:
            held = json.loads(file.read(LONGEST_HOLDER))
        return f"process {held['process']} on {held['host']} (since {held['since']})"
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return "another process"
