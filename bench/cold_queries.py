"""A query from a fresh process: interpreter, imports, opening, searching, printing the ten best. Files are cached."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from bench.building import FOXIR, Indexes
from bench.peers.fts5 import any_of
from bench.processes import Usage, run
from bench.query_sampling import Query

FTS5_SEARCH = Path(__file__).with_name("peers") / "fts5_search.py"


def ask_cold(indexes: Indexes, queries: Sequence[Query], repetitions: int) -> dict[str, list[Usage]]:
    """Return what each way used, one usage a repetition; each repetition asks another query, all ways the same."""
    usages: dict[str, list[Usage]] = {}
    for repetition in range(-1, repetitions):  # the first time is to warm the page cache
        query = queries[repetition % len(queries)]
        commands: dict[str, tuple[str | Path, ...]] = {
            "foxir search": (FOXIR, "search", indexes.foxir, query.text),
            "python -c pass": (sys.executable, "-c", "pass"),
            "python -c 'import numpy'": (sys.executable, "-c", "import numpy"),
            "python, FTS5 over leaves": (sys.executable, FTS5_SEARCH, indexes.leaves, any_of(query.words)),
        }
        for name, command in commands.items():
            usage = run(command, watch_memory=False)
            if repetition >= 0:
                usages.setdefault(name, []).append(usage)
    return usages
