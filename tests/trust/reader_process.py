"""Queries an index without pause: `python -m tests.trust.reader_process INDEX`, until its stdin is closed.

Every round opens the index anew or goes on with the one it has, and is printed as a line: the generation, the number of
live segments, and for each query the answers.
"""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path

from engine.index.reader import open_reader
from tests.trust.queries import QUERIES, answers


def main(index: Path) -> None:
    is_over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), is_over.set()), daemon=True).start()
    opened = open_reader(index)
    n_rounds = 0
    while not is_over.is_set():
        if n_rounds % 3 == 0:  # a generation is asked three times: what it answers must not change under way
            opened = open_reader(index)
        found = [answers(opened, query) for query in QUERIES]
        print(json.dumps([opened.manifest.generation, len(opened.manifest.segments), found]), flush=True)
        n_rounds += 1


if __name__ == "__main__":
    main(Path(sys.argv[1]))
