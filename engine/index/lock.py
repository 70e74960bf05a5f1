"""One writer at a time: an advisory lock that the system drops with its holder, so a stale one never blocks."""

from __future__ import annotations

import fcntl
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from engine.errors import CollectionError, IndexLockedError

LOCK = "lock"


@contextmanager
def writer_lock(index: Path) -> Iterator[None]:
    """Hold the index for writing; a folder that is made for it goes again when nothing comes of it.

    Raises: IndexLockedError naming the holder when another process holds it; CollectionError when the folder cannot be
        written, now or later.
    """
    is_new = not index.exists()
    try:
        index.mkdir(parents=True, exist_ok=True)
        file = (index / LOCK).open("a+", encoding="utf-8")
    except OSError as error:
        raise CollectionError(f"{index}: cannot be written: {error.strerror}.") from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise IndexLockedError(f"{index}: {_holder(index)} is writing it: wait, or stop that process.") from None
        file.truncate(0)
        since = datetime.now(UTC).isoformat(timespec="seconds")
        json.dump({"process": os.getpid(), "host": socket.gethostname(), "since": since}, file)
        file.flush()
        try:
            yield
        except BaseException as error:
            if is_new:
                _remove(index)
            if isinstance(error, OSError):
                raise CollectionError(
                    f"{index}: cannot be written: {error.strerror or error}: the index is whole; make room or mend "
                    "what hinders, then do it again."
                ) from error
            raise
        file.truncate(0)


def _remove(index: Path) -> None:
    """Remove an index in which nothing stands but the lock."""
    if all(path.name == LOCK for path in index.iterdir()):
        (index / LOCK).unlink()
        index.rmdir()


def _holder(index: Path) -> str:
    try:
        held = json.loads((index / LOCK).read_text(encoding="utf-8"))
        return f"process {held['process']} on {held['host']} (since {held['since']})"
    except (OSError, ValueError, KeyError):
        return "another process"
