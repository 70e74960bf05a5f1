"""What a command costs with all its descendants: CPU seconds, wall time, peak memory. Linux only.

A program that starts workers through a server process (multiprocessing's forkserver) is not the parent of its workers,
and nobody waits for the server: the usual `RUSAGE_CHILDREN` misses all of them. So this process becomes the subreaper
of everything it starts: what loses its parent is handed to it, it waits for each, and the kernel reports with each the
CPU time of the process and of all that it had waited for itself.
"""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SET_CHILD_SUBREAPER = 36  # prctl(2)
SAMPLE_S = 0.05


@dataclass(frozen=True)
class Usage:
    """What a command and all its descendants used.

    cpu_s: user and system time. wall_s: until the command itself ended. peak_bytes: the largest sum of the proportional
    set sizes of all processes that were alive together, sampled every 50 ms; 0 where memory was not watched.
    """

    cpu_s: float
    wall_s: float
    peak_bytes: int
    output: str


def adopt_orphans() -> None:
    """Make this process the parent of every descendant that loses its own; call once, before `run`."""
    if not sys.platform.startswith("linux") or ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise SystemExit("bench: needs Linux: CPU time and memory are read from /proc and by PR_SET_CHILD_SUBREAPER.")


def run(command: Sequence[str | Path], *, watch_memory: bool = True, accepted: Sequence[int] = (0,)) -> Usage:
    """Run a command to its end, wait for all its descendants, and return what they used together.

    Raises: SystemExit with what it wrote to stderr when the command ends with another status than those accepted.
    """
    arguments = [str(argument) for argument in command]
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        watch = _MemoryWatch()
        if watch_memory:
            watch.start()
        began = time.perf_counter()
        started = os.posix_spawn(arguments[0], arguments, os.environ, file_actions=[_into(1, out), _into(2, err)])
        cpu_s = wall_s = 0.0
        failed = False
        for pid, status, seconds in _reaped():
            cpu_s += seconds
            if pid == started:
                wall_s = time.perf_counter() - began
                failed = os.waitstatus_to_exitcode(status) not in accepted
        peak = watch.stop()
        if failed:
            raise SystemExit(f"bench: '{' '.join(arguments)}' failed:\n{err.read_text(errors='replace')}")
        return Usage(cpu_s, wall_s, peak, out.read_text(errors="replace"))


def _into(descriptor: int, path: Path) -> tuple[int, int, str, int, int]:
    return os.POSIX_SPAWN_OPEN, descriptor, str(path), os.O_WRONLY | os.O_CREAT, 0o600


def _reaped() -> Iterator[tuple[int, int, float]]:
    """Yield id, status and CPU seconds of each child as it ends, until there is none."""
    while True:
        try:
            pid, status, used = os.wait4(-1, 0)
        except ChildProcessError:
            return
        yield pid, status, used.ru_utime + used.ru_stime


class _MemoryWatch:
    """Samples the memory of all descendants of this process in a thread."""

    def __init__(self) -> None:
        self._peak = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def start(self) -> None:
        """Begin sampling."""
        self._thread.start()

    def stop(self) -> int:
        """Stop and return the peak in bytes."""
        self._done.set()
        if self._thread.is_alive():
            self._thread.join()
        return self._peak

    def _sample(self) -> None:
        while not self._done.wait(SAMPLE_S):
            self._peak = max(self._peak, sum(map(_proportional_set_size, _descendants(os.getpid()))))


def _descendants(pid: int) -> Iterator[int]:
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            numbers = children.read_text().split()
        except OSError:  # the process ended meanwhile
            continue
        for number in map(int, numbers):
            yield number
            yield from _descendants(number)


def _proportional_set_size(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:  # the process ended meanwhile
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
