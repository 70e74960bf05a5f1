"""The memory of this process, and its end with that of its parent."""

from __future__ import annotations

import ctypes
import os
import threading
from contextlib import suppress
from pathlib import Path

# What is assumed of a process where the system does not tell.
USUAL = 96 * 2**20


def resident_memory() -> int:
    """Return the resident memory of this process in bytes; a fixed estimate where /proc is missing."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        return USUAL
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def release_memory() -> None:
    """Give memory that was freed back to the system, where the C library can; it keeps small pieces otherwise."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def end_with_parent() -> None:
    """End this process as soon as the process that started it has ended; it is watched in a thread."""
    threading.Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    import multiprocessing.connection  # noqa: PLC0415  (most processes are no workers)

    if parent := multiprocessing.parent_process():
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)
