"""The memory of this process, its interrupts, and its end with that of its parent."""

from __future__ import annotations

import mmap
import os
import signal
import sys
import threading
from collections.abc import Callable
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
    return int(pages) * mmap.PAGESIZE


def release_memory() -> None:
    """Give memory that was freed back to the system, where the C library can; it keeps small pieces otherwise."""
    import ctypes  # noqa: PLC0415  (builds need it, and searches do not)

    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def end_with_parent() -> None:
    """End this process as soon as the process that started it has ended; it is watched in a thread."""
    threading.Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    import multiprocessing.connection  # noqa: PLC0415  (most processes are no workers)

    if parent := multiprocessing.parent_process():
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def interrupt() -> None:
    """Interrupt this process, from any thread, as the user does."""
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGINT)  # what os.kill would end the process with
    else:
        os.kill(os.getpid(), signal.SIGINT)


def record_interrupts() -> Callable[[], bool]:
    """Record interrupts of this process from now on; return a function that says whether there was one."""
    recorded, record = os.pipe()
    if sys.platform != "win32":
        os.set_blocking(record, False)
    signal.set_wakeup_fd(record, warn_on_full_buffer=False)  # gets the number of each signal, as it comes in

    def was_interrupted() -> bool:
        os.write(record, bytes(1))  # reading waits for none
        return signal.SIGINT in os.read(recorded, 2**16)

    return was_interrupted
