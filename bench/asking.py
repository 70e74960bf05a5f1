"""Asks foxir and its peers the same queries in alternating rounds, and adds up the CPU time of the asking thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from bench.peers import fts5
from bench.peers.tantivy_leaves import Leaves
from bench.topic_queries import QuerySet
from engine.index.reader import open_reader
from engine.ranking.search import search

Query = TypeVar("Query")


def ask_all(
    index: Path, leaves: Path, tantivy: Path, sets: Sequence[QuerySet], rounds: int
) -> Iterator[tuple[str, str, float]]:
    """Yield name, peer and ratio of the CPU times of each set of queries, a round after another."""
    reader, database, searcher = open_reader(index), fts5.Database(leaves), Leaves(tantivy)
    for number in range(-1, rounds):  # the first round is to warm up
        of_peers: dict[tuple[tuple[str, ...], int], dict[str, float]] = {}  # elements and passages have the same peers
        for each in sets:
            own = _cpu(partial(search, reader, settings=each.settings), each.texts)
            key = (each.texts, each.n_answers)
            if key not in of_peers:
                of_peers[key] = {
                    "FTS5": _cpu(partial(database.ranked, limit=each.n_answers), each.words),
                    "tantivy": _cpu(partial(searcher.ranked, limit=each.n_answers), each.words),
                }
            if number >= 0:
                yield from ((each.name, peer, own / cpu) for peer, cpu in of_peers[key].items())


def _cpu(ask: Callable[[Query], object], queries: Sequence[Query]) -> float:
    began = time.thread_time()
    for query in queries:
        ask(query)
    return time.thread_time() - began
