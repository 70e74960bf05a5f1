"""A long-running process that indexes, re-indexes, compacts and queries.

`python -m tests.trust.long_running_process FOLDER ROUNDS SECONDS` runs for at least so many rounds and seconds. After
each round it prints a line of JSON: the number of the round, the anonymous memory of the process in KiB, and its
numbers of files, mappings, threads and child processes. The collection changes but does not grow.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from random import Random
from resource import RLIMIT_NOFILE, getrlimit
from typing import NamedTuple

from engine.columns import checked_folder as files
from engine.index.reader import IndexReader, open_reader
from engine.indexing.build import compact_index, update_index
from engine.indexing.workers import document_reading
from tests.engine.index.index_contents import SETTINGS, random_files, write
from tests.trust.queries import QUERIES, answers

N_DOCUMENTS = 12
# Indexes that are open at a time; three of them, and one that is being opened, have more than 256 files.
N_READERS = 3 if getrlimit(RLIMIT_NOFILE)[0] >= 512 else 1


class Round(NamedTuple):
    """The resources of the process after a round."""

    number: int
    memory: int  # KiB
    n_files: int
    n_mappings: int
    n_threads: int
    n_processes: int


def memory() -> int:
    """Return the anonymous memory of this process in KiB; memory of mapped files may be shared with other processes."""
    lines = Path("/proc/self/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Anonymous:"))


def children() -> int:
    """Return the number of child processes of all threads."""
    tasks = Path("/proc/self/task").glob("*/children")
    return sum(len(task.read_text(encoding="ascii").split()) for task in tasks)


def next_round(number: int, source: Path, index: Path, random: Random) -> None:
    """Change, remove and add documents and update the index, every tenth time with two worker processes."""
    files = random_files(N_DOCUMENTS, seed=number // 2)  # in every other round one document has changed
    if number % 2:
        files[random.choice(sorted(files))] = f"<article>sea tide {random.randint(0, 99)}</article>"
    is_parallel = number % 10 == 9
    document_reading.WORTH_A_PROCESS = 0 if is_parallel else 2**30
    settings = replace(SETTINGS, jobs=2) if is_parallel else SETTINGS
    update_index(index, [str(write(source, files))], settings)
    if number % 15 == 14:
        compact_index(index)


def main(folder: Path, rounds: int, seconds: float) -> None:
    """Run rounds in a folder and print the resources after each."""
    document_reading.BATCH_BYTES = 1 << 10  # small, so that there are batches for two processes
    files.READ_WHOLE = 0  # map every file, as in a large index
    random = Random(1)
    source, index = folder / "source", folder / "index"
    opened: list[IndexReader] = []
    number, end = 0, time.monotonic() + seconds
    while number < rounds or time.monotonic() < end:
        next_round(number, source, index, random)
        opened = [*opened, open_reader(index)][-N_READERS:]
        for each in opened:
            for query in QUERIES:
                answers(each, query)
        n_files = len(os.listdir("/proc/self/fd"))
        n_mappings = len(Path("/proc/self/maps").read_text(encoding="utf-8").splitlines())
        done = Round(number, memory(), n_files, n_mappings, threading.active_count(), children())
        print(json.dumps(done), flush=True)
        number += 1


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
