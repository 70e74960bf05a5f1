"""Asks foxir and its peers the same queries in alternating rounds, and adds up the CPU time of the asking thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from peers import fts5
from peers.tantivy_leaves import Leaves
from topic_queries import QuerySet

from engine.index.reader import open_reader
from engine.retrieval.search import search


def ask_all(
    index: Path, leaves: Path, tantivy: Path, sets: Sequence[QuerySet], rounds: int
) -> Iterator[tuple[str, str, float]]:
    """Yield name, peer and ratio of the CPU times of each set of queries, a round after another."""
    reader, database, searcher = open_reader(index), fts5.Database(leaves), Leaves(tantivy)
    for number in range(-1, rounds):  # the first round is to warm up
        of_peers: dict[tuple[tuple[str, ...], int], dict[str, float]] = {}  # elements and passages have the same peers
        for each in sets:
            places = range(len(each.texts))
            own = _cpu(lambda at, each=each: search(reader, each.texts[at], each.settings), places)
            key = (each.texts, each.n_answers)
            if key not in of_peers:
                of_peers[key] = {
                    "FTS5": _cpu(lambda at, each=each: database.ranked(each.words[at], each.n_answers), places),
                    "tantivy": _cpu(lambda at, each=each: searcher.ranked(each.words[at], each.n_answers), places),
                }
            if number >= 0:
                yield from ((each.name, peer, own / cpu) for peer, cpu in of_peers[key].items())


def _cpu(ask: Callable[[int], object], places: range) -> float:
    began = time.thread_time()
    for place in places:
        ask(place)
    return time.thread_time() - began
