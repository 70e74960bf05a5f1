"""The memory of this process: how much it uses, and how to return what it no longer needs."""

from __future__ import annotations

import ctypes
import os
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
