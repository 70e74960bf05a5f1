"""A build with limits, or a compaction, whose peak memory is measured: `python -m tests.trust.measured_build`.

The process reads jobs from stdin, a line of JSON each: index, source (or "compact"), and limits as NAME=N; `memory=N`
is the memory that the build is given, in bytes. Each job runs in a fork, which saves the time of starting Python. The
answer is a line of JSON: the skipped files, each with line and reason, and the peak memory of the fork in MB; null if
the job failed.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import traceback
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from engine.collection.limits import Limits
from engine.collection.sources.document_entry import Skipped
from engine.indexing.build import compact_index, update_index
from tests.engine.index.index_contents import SETTINGS
from tests.trust.killed_writers import ROOT

# In place of a source: the index is compacted.
COMPACT = "compact"


class Measured(NamedTuple):
    """The skipped files and the peak memory of a build."""

    skipped: list[Skipped]
    peak: float  # MB


def measure(index: Path, source: Path, *limits: str) -> Measured:
    """Return the measurements of a build in a process of its own."""
    starter = _starter()
    assert starter.stdin
    assert starter.stdout
    starter.stdin.write(json.dumps([str(index), str(source), *limits]) + "\n")
    starter.stdin.flush()
    result = json.loads(starter.stdout.readline())
    assert result is not None, "the build failed: its error is on stderr"
    skipped, peak = result
    return Measured([Skipped(*each) for each in skipped], peak)


@cache
def _starter() -> subprocess.Popen[str]:
    """Return the process that starts builds; it ends with this one."""
    command = [sys.executable, "-m", "tests.trust.measured_build"]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)
    atexit.register(process.communicate)
    return process


def peak_memory() -> float:
    """Return the peak memory of this process in MB; getrusage may report that of its parent."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def _run(index: str, source: str, *limits: str) -> list[Skipped]:
    """Return the skipped files of a build; none of a compaction."""
    memory = [int(each.removeprefix("memory=")) for each in limits if each.startswith("memory=")]
    if source == COMPACT:
        compact_index(Path(index), memory=memory[0])
        return []
    settings = replace(
        SETTINGS,
        memory=memory[0] if memory else SETTINGS.memory,
        limits=Limits.from_assignments(each for each in limits if not each.startswith("memory=")),
    )
    return list(update_index(Path(index), [source], settings).skipped)


def main() -> None:
    for line in sys.stdin:
        child = os.fork()
        if child:
            _, status = os.waitpid(child, 0)
            if status:
                print("null", flush=True)
            continue
        status = 1
        try:
            print(json.dumps([_run(*json.loads(line)), peak_memory()]), flush=True)
            status = 0
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(status)


if __name__ == "__main__":
    main()
