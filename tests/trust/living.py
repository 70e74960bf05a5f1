"""A process that lives long: `python -m tests.trust.living FOLDER SECONDS` indexes, re-indexes, compacts and queries.

After every round it prints a line: the round, its own memory in kilobytes (what no file and no other process has a
part in), and how many files, mappings, threads and processes it has. The collection changes, but does not grow.
"""

import json
import os
import sys
import threading
import time
from pathlib import Path
from random import Random
from typing import NamedTuple

from engine.index import builder, files
from engine.index.builder import compact_index, update_index
from engine.index.index import Index, open_index
from tests.engine.index.made import SETTINGS, random_files, write
from tests.trust.queries import QUERIES, answers

N_DOCUMENTS = 12
N_READERS = 3  # indexes that are kept open, each for some rounds


class Round(NamedTuple):
    """What the process needs after a round."""

    number: int
    memory: int  # KiB
    n_files: int
    n_mappings: int
    n_threads: int
    n_processes: int


def memory() -> int:
    """Return the anonymous memory of this process in KiB; that of files depends on who else has mapped them."""
    lines = Path("/proc/self/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Anonymous:"))


def children() -> int:
    tasks = Path("/proc/self/task").glob("*/children")
    return sum(len(task.read_text(encoding="ascii").split()) for task in tasks)


def next_round(number: int, source: Path, index: Path, random: Random) -> None:
    """Change some documents, take some away, add others; bring the index up to date, now and then in processes."""
    files = random_files(N_DOCUMENTS, seed=number // 2)  # every other round: nothing, or one document, has changed
    if number % 2:
        files[random.choice(sorted(files))] = f"<article>sea tide {random.randint(0, 99)}</article>"
    is_parallel = number % 10 == 9
    builder.WORTH_A_PROCESS = 0 if is_parallel else 2**30
    settings = builder.replace(SETTINGS, jobs=2) if is_parallel else SETTINGS
    update_index(index, [str(write(source, files))], settings)
    if number % 15 == 14:
        compact_index(index)


def main(folder: Path, seconds: float) -> None:
    builder.BATCH_BYTES = 1 << 10  # enough batches for two processes
    files.READ_WHOLE = 0  # every file is mapped, as those of a large index
    random = Random(1)
    source, index = folder / "source", folder / "index"
    opened: list[Index] = []
    number, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        next_round(number, source, index, random)
        opened = [*opened, open_index(index)][-N_READERS:]
        for each in opened:
            for query in QUERIES:
                answers(each, query)
        n_files = len(os.listdir("/proc/self/fd"))
        n_mappings = len(Path("/proc/self/maps").read_text(encoding="utf-8").splitlines())
        done = Round(number, memory(), n_files, n_mappings, threading.active_count(), children())
        print(json.dumps(done), flush=True)
        number += 1


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]))
