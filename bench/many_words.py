"""A long query in a fresh process: `python -m bench.many_words INDEX FILE` prints its time and memory as JSON.

FILE contains the words. Memory is what the process has of its own, not parts of files,
at most while it answers the first time and again, beyond what it had after three usual queries.
"""

from __future__ import annotations

import json
import statistics
import sys
import threading
import time
from pathlib import Path

from engine.index.reader import IndexReader, open_reader
from engine.ranking.search import search
from engine.settings import Settings

N_AGAIN = 5
USUAL = ("effect of aspirin", "blood pressure", "quality of life")
SETTINGS = Settings.from_options(max_answers=10)


def main() -> None:
    """Ask, and print what it took."""
    index, words = map(Path, sys.argv[1:])
    reader, query = open_reader(index), words.read_text("utf-8")
    for usual in USUAL:
        search(reader, usual, SETTINGS)
    with HighestMemory() as memory:
        first = _cpu_ms(reader, query)
        again = statistics.median(_cpu_ms(reader, query) for _ in range(N_AGAIN))
    print(json.dumps({"first_ms": first, "again_ms": again, "memory_mb": memory.beyond / 2**20}))


def _cpu_ms(reader: IndexReader, query: str) -> float:
    began = time.thread_time()
    search(reader, query, SETTINGS)
    return 1000 * (time.thread_time() - began)


class HighestMemory(threading.Thread):
    """Watches the memory of this process while it does something; `beyond` is the highest above the first, in bytes."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._before = self._highest = own_memory()
        self._ended = threading.Event()

    @property
    def beyond(self) -> int:
        """The most that was seen beyond what there was before."""
        return self._highest - self._before

    def __enter__(self) -> HighestMemory:
        self.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._ended.set()
        self.join()

    def run(self) -> None:
        """Look a thousand times a second."""
        while not self._ended.wait(0.001):
            self._highest = max(self._highest, own_memory())


def own_memory() -> int:
    """Return the bytes of memory that are this process's own, not parts of files."""
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("RssAnon"))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    main()
