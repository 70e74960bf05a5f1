"""Scored elements and passages, warm, beside the thesis's order and FTS5 over leaves (`python -m bench.elements`).

Corpus, queries and peer are those of bench.speed: 50 queries of 2 to 4 words, for 1500 answers of 500 articles.
Limits are for the CPU time of the median query: others may use the cores, which wall times do not survive.
"""

from __future__ import annotations

import argparse
import statistics
import time
from functools import partial
from typing import Any

from bench import environment
from bench.arguments import parsed, query_parser
from bench.building import build, contenders
from bench.corpus import CACHE, open_corpus
from bench.peers.fts5 import Database
from bench.query_sampling import Query, draw_queries
from bench.warm_queries import BM25_LEAVES, HYBRID, N_ANSWERS, N_ARTICLES, Ask
from engine.index.reader import IndexReader, open_reader
from engine.ranking.search import search
from engine.settings import Settings

SCORED: dict[str, Any] = {
    "rank_by": "score",
    "similarity": "okapi",
    "max_articles": N_ARTICLES,
    "max_answers": N_ANSWERS,
    "overlap": "remove",
}
WAYS = {
    "elements by score": Settings.from_options(**SCORED, unit="element"),
    "passages by score": Settings.from_options(**SCORED, unit="sentence"),
    "elements by structure": HYBRID,
}
LIMITS = {"elements by score": 4.0, "passages by score": 8.0}


def _ask(index: IndexReader, settings: Settings, query: Query) -> object:
    return search(index, query.text, settings)


def main() -> None:
    """Build what is missing, ask, and print the table."""
    given = _arguments()
    corpus = open_corpus(given.sources, given.seed, 20_000_000)
    ways, indexes = contenders(corpus, CACHE / "work")
    for way in ways[1:]:  # foxir with all cores, and FTS5
        build(way)
    index, leaves = open_reader(indexes.foxir), Database(indexes.leaves)
    queries = draw_queries(corpus, given.queries, given.seed)
    asks: dict[str, Ask] = {name: partial(_ask, index, settings) for name, settings in WAYS.items()}
    asks[BM25_LEAVES] = lambda query: leaves.ranked(query.words, N_ANSWERS)
    times: dict[str, list[list[float]]] = {name: [[] for _ in queries] for name in asks}
    for repetition in range(-1, given.repetitions):  # the first time is to warm up
        for name, ask in asks.items():
            for number, query in enumerate(queries):
                began = time.thread_time()
                ask(query)
                if repetition >= 0:
                    times[name][number].append((time.thread_time() - began) * 1000)
    print(f"foxir {environment.commit()}, seed {given.seed}, {len(queries)} queries, {given.repetitions} repetitions")
    print(f"{len(corpus.files):,} files, {corpus.n_bytes / 1e6:.1f} MB of XML: {corpus.origin}")
    machine = environment.machine()
    print(f"{machine['cpu']}, {machine['cores']} cores, load average {machine['load_average_at_start']}\n")
    _print_table({name: list(map(statistics.median, of_queries)) for name, of_queries in times.items()})


def _print_table(times: dict[str, list[float]]) -> None:
    peer = statistics.median(times[BM25_LEAVES])
    print(f"{'CPU ms':30} {'median':>8} {'p95':>8} {'ratio':>6} {'limit':>6}")
    for name, of_queries in times.items():
        median, worst = statistics.median(of_queries), sorted(of_queries)[int(0.95 * (len(of_queries) - 1))]
        limit = LIMITS.get(name)
        result = "" if limit is None else f"{limit:6.1f} {'met' if median < limit else 'NOT met'}"
        print(f"{name:30} {median:8.2f} {worst:8.2f} {median / peer:6.2f} {result}".rstrip())


def _arguments() -> argparse.Namespace:
    parser = query_parser("bench.elements", "Measure scored elements, beside FTS5.", queries=50, repetitions=7)
    return parsed(parser)


if __name__ == "__main__":
    main()
