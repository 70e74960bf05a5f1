"""The writer lock: an advisory lock that the system releases when its holder ends, so a stale one never blocks."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from engine.errors import CollectionError, IndexLockedError
from engine.system import platform
from engine.system.files import unwritable
from engine.system.held_folder import HeldFolder

LOCK = "lock"
# Bytes of the lock file that are read to name the holder.
LONGEST_HOLDER = 1000
# Free bytes above which a disk is not full.
FREE = 2**20

_held: set[BinaryIO] = set()


@contextmanager
def writer_lock(index: Path, check: Callable[[], object] = lambda: None) -> Iterator[HeldFolder]:
    """Hold the writer lock of an index, and yield its folder, which is removed again if it was new and this fails.

    Args:
        check: raises an error for a folder in which no lock may be made.

    Raises: IndexLockedError, naming the holder, if another process holds it; CollectionError if the folder cannot be
        written, also for an OSError inside the context.
    """
    check()
    is_new = not index.exists()
    with ExitStack() as opened:
        try:
            _make_durably(index)
            held = opened.enter_context(HeldFolder(index))
            check()  # again, of the folder that is held
            held.check()
            file = opened.enter_context(held.open(LOCK, platform.WRITE | os.O_CREAT))
        except OSError as error:
            what = index / LOCK if error.errno in (errno.ELOOP, errno.EINVAL) else index
            raise CollectionError(unwritable(what, error)) from None
        try:
            platform.lock(file.fileno())
        except OSError:
            raise IndexLockedError(f"{index}: {_holder(index)} is writing to it: wait, or stop that process.") from None
        if not _is_the_lock(file, held):
            raise IndexLockedError(f"{index}: another process has just removed its lock: retry.")
        _held.add(file)
        try:
            _sign(file)
            yield held
        except BaseException as error:
            if is_new:
                _remove(held, file)
            if isinstance(error, OSError):
                reason, advice = _reason(index, error)
                raise CollectionError(
                    f"{index}: cannot be written: {reason}: the index is unchanged; {advice}, then retry."
                ) from error
            raise
        finally:
            _held.discard(file)
        _empty(file)


def _reason(index: Path, error: OSError) -> tuple[str, str]:
    """Return the reason for which the index cannot be written, and the remedy.

    NumPy only reports how much was written, so an error without a number is a full disk, or a limit on files.
    """
    number = error.errno
    if number is None:
        number = errno.EFBIG if platform.has_limit_of_files() and _free_bytes(index) > FREE else errno.ENOSPC
    if number == errno.EFBIG:
        return "a file would exceed the largest size that is allowed", "raise the limit (`ulimit -f unlimited`)"
    return error.strerror or os.strerror(number), "free disk space or fix the cause"


def _free_bytes(folder: Path) -> int:
    """Return the free bytes of the disk of a folder, which may have been removed meanwhile."""
    return shutil.disk_usage(next(each for each in (folder, *folder.absolute().parents) if each.exists())).free


def _is_the_lock(file: BinaryIO, index: HeldFolder) -> bool:
    """Return whether a file is still the lock of the index; a writer that failed may have removed it meanwhile."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), index.status(LOCK))
    except FileNotFoundError:
        return False


def _sign(file: BinaryIO) -> None:
    """Write the holder into the lock file: process, host and time."""
    if not _empty(file):
        return
    since = datetime.now(UTC).isoformat(timespec="seconds")
    holder = {"process": os.getpid(), "host": platform.host_name(), "since": since}
    os.write(file.fileno(), json.dumps(holder).encode())


def _empty(file: BinaryIO) -> bool:
    """Empty the lock file; return False for one with several hard links, which may be anyone's file and is left."""
    if os.fstat(file.fileno()).st_nlink > 1:
        return False
    file.truncate(0)
    return True


def _make_durably(folder: Path) -> None:
    """Create a folder and its missing parents; their entries are durable on return."""
    made = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for each in made:
        platform.sync_folder(each.parent)


def leave_locks_to_parent() -> None:
    """Close locks inherited by fork, so that only the process that took them holds them."""
    while _held:
        _held.pop().close()


def _remove(index: HeldFolder, lock: BinaryIO) -> None:
    """Remove an index folder that contains nothing but the lock; what cannot be removed is left to the next build."""
    with suppress(OSError):  # an interrupted worker may still write
        if index.names() == [LOCK]:
            if not platform.REMOVES_OPEN_FILES:
                lock.close()
            index.remove([LOCK])
            if index.is_in_place:
                index.real.rmdir()


def _holder(index: Path) -> str:
    try:
        with platform.open_regular(index / LOCK) as file:
            held = json.loads(file.read(LONGEST_HOLDER))
        return f"process {held['process']} on {held['host']} (since {held['since']})"
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return "another process"
