"""A build with limits, or a compaction, whose peak memory is measured.

`python -m tests.trust.measured_build INDEX SOURCE [NAME=N]...`, or with "compact" in place of a source.

`memory=N` is the memory that the build is given, in bytes; the other names are limits. It prints one line of JSON: the
skipped files, each with line and reason, and the peak memory of the process in MB.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from engine.collection.limits import Limits
from engine.collection.sources import Skipped
from tests.trust.killed_writers import ROOT

# In place of a source: the index is compacted.
COMPACT = "compact"


class Measured(NamedTuple):
    """The skipped files and the peak memory of a build."""

    skipped: list[Skipped]
    peak: float  # MB


def measure(index: Path, source: Path, *limits: str) -> Measured:
    """Return the measurements of a build in a process of its own."""
    command = [sys.executable, "-m", "tests.trust.measured_build", str(index), str(source), *limits]
    result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    skipped, peak = json.loads(result.stdout)
    return Measured([Skipped(*each) for each in skipped], peak)


def peak_memory() -> float:
    """Return the peak memory of this process in MB; getrusage may report that of its parent."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def main(index: str, source: str, *limits: str) -> None:
    from engine.index.build import compact_index, update_index  # noqa: PLC0415  (the other half needs none of it)
    from tests.engine.index.index_contents import SETTINGS  # noqa: PLC0415

    memory = [int(each.removeprefix("memory=")) for each in limits if each.startswith("memory=")]
    if source == COMPACT:
        compact_index(Path(index), memory=memory[0])
        print(json.dumps([[], peak_memory()]))
        return
    settings = replace(
        SETTINGS,
        memory=memory[0] if memory else SETTINGS.memory,
        limits=Limits.from_assignments(each for each in limits if not each.startswith("memory=")),
    )
    report = update_index(Path(index), [source], settings)
    print(json.dumps([report.skipped, peak_memory()]))


if __name__ == "__main__":
    main(*sys.argv[1:])
