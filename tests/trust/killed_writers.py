"""A process that starts index writers and kills them: `python -m tests.trust.killed_writers`, JSON jobs on stdin.

A writer is a fork of this process, which saves the time of starting Python. It kills itself just before one of the
calls that change the disk (open a file for writing, fsync, rename, remove, make or remove a folder), or is killed after
some seconds.
"""

from __future__ import annotations

import json
import mmap
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from engine.errors import FoxirError
from engine.indexing.build import compact_index, update_index
from tests.engine.index.index_contents import SETTINGS

ROOT = Path(__file__).parents[2]
CHANGES = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.truncate"}  # audit events of the interpreter


class Death(NamedTuple):
    """The end of a writer."""

    status: int  # negative: the signal
    n_calls: int  # calls that change the disk
    published: int  # number of the call that renamed the manifest into place, 0 for none
    seconds: float


class Writers:
    """Starts writers, one at a time."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(
        self,
        index: Path,
        source: Path | None,
        *,
        at: int = 0,
        after: float = 0.0,
        shards: int | None = None,
        moves: Sequence[tuple[Path, Path]] = (),
    ) -> Death:
        """Run a writer that updates an index from a source, or compacts it if there is no source.

        Args:
            at: the call before which it kills itself, 0 for none. after: seconds after which it is killed, 0 for never.
            shards: of a new index. moves: renamings that are done at that call, in place of the death; the status is 2
                for a writer that was refused.
        """
        assert self._process.stdin
        assert self._process.stdout
        job = {"index": str(index), "source": str(source) if source else None, "at": at, "after": after}
        job |= {"shards": shards, "moves": [(str(old), str(new)) for old, new in moves]}
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        return Death(*json.loads(self._process.stdout.readline()))


@contextmanager
def writers() -> Iterator[Writers]:
    """Yield a starter of writers."""
    command = [sys.executable, "-m", "tests.trust.killed_writers"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        yield Writers(process)
        process.communicate()


def _die_at(moment: int, calls: memoryview[int], moves: Sequence[tuple[str, str]]) -> None:
    """Count the calls that change the disk in a shared array; at the given one, rename, or kill this process."""

    def count(is_publishing: bool = False) -> None:
        calls[0] += 1
        if is_publishing:
            calls[1] = calls[0]
        if calls[0] == moment:
            if not moves:
                os.kill(os.getpid(), signal.SIGKILL)
            for old, new in moves:
                os.rename(old, new)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in CHANGES or (event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR)):
            count(event == "os.rename" and str(arguments[1]).endswith("manifest.json"))

    fsync = os.fsync

    def counted(handle: int) -> None:
        count()
        fsync(handle)

    os.fsync = counted
    sys.addaudithook(hook)


def _write(index: Path, source: str | None, n_shards: int | None) -> int:
    """Return the status of a writer: 0, or 2 if it was refused."""
    try:
        if source is None:
            compact_index(index)
        else:
            update_index(index, [source], SETTINGS, n_shards=n_shards)
    except FoxirError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def main() -> None:
    for line in sys.stdin:
        job = json.loads(line)
        calls = memoryview(mmap.mmap(-1, 16)).cast("q")
        began = time.perf_counter()
        child = os.fork()
        if not child:
            _die_at(job["at"], calls, job["moves"])
            os._exit(_write(Path(job["index"]), job["source"], job["shards"]))
        if job["after"]:
            time.sleep(job["after"])
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        seconds = time.perf_counter() - began
        print(json.dumps([os.waitstatus_to_exitcode(status), *calls, seconds]), flush=True)


if __name__ == "__main__":
    main()
