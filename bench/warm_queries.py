"""Times of queries to an open index: hybrid retrieval and article ranking, beside FTS5 over leaves and articles."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bench.building import Indexes
from bench.peers.fts5 import Database
from bench.query_sampling import Query
from engine.answers.answer_texts import ids_of, paths_of
from engine.index.reader import IndexReader, open_reader
from engine.planning.planning import make_plan
from engine.ranking.articles import rank_articles
from engine.ranking.search import search
from engine.settings import Settings

N_ARTICLES, N_ANSWERS = 500, 1500
HYBRID = Settings.from_options(
    approach="hybrid",
    similarity="pcosine",
    operator="or",
    max_matches="all",
    answers="oCRE",
    heuristic="MpE",
    max_per_article="all",
    max_articles=N_ARTICLES,
    max_answers=N_ANSWERS,
    overlap="keep",
    reading="CO",
)

HYBRID_NAME = f"foxir, hybrid: {N_ANSWERS} answers of {N_ARTICLES} articles"
BM25_LEAVES = f"FTS5, BM25: best {N_ANSWERS} leaves"
BM25_ARTICLES = f"FTS5, BM25: best {N_ARTICLES} articles"

Ask = Callable[[Query], object]


class Times(NamedTuple):
    """Milliseconds of each query: as they pass, and of this thread's CPU time (where other work shares the cores)."""

    wall: list[float]
    cpu: list[float]


@dataclass(frozen=True)
class Timings:
    """What a way to ask takes: the times of all queries, once a repetition; `peer` names what it is compared with."""

    name: str
    peer: str
    repetitions: list[Times]

    @property
    def wall(self) -> list[float]:
        """The median wall time of each query over the repetitions."""
        return [statistics.median(times) for times in zip(*(each.wall for each in self.repetitions), strict=True)]

    @property
    def cpu(self) -> list[float]:
        """The median CPU time of each query over the repetitions."""
        return [statistics.median(times) for times in zip(*(each.cpu for each in self.repetitions), strict=True)]

    @property
    def medians(self) -> list[float]:
        """The CPU time of the median query of each repetition."""
        return [statistics.median(each.cpu) for each in self.repetitions]


def ask_all(
    indexes: Indexes, queries: Sequence[Query], others: Sequence[Query], repetitions: int
) -> tuple[list[Timings], dict[str, float]]:
    """Return the times of all ways to ask, taking turns, and how much the queries find (medians).

    Args:
        others: queries that warm an index up for the way in which each query is new to it.
    """
    index, leaves, articles = open_reader(indexes.foxir), Database(indexes.leaves), Database(indexes.articles)
    ways = {
        HYBRID_NAME: (BM25_LEAVES, lambda query: search(index, query.text, HYBRID)),
        f"{HYBRID_NAME}, named by document and path": (BM25_LEAVES, lambda query: _named(index, query)),
        "FTS5, leaves: all matches": (BM25_LEAVES, lambda query: leaves.matches(query.words)),
        BM25_LEAVES: (BM25_LEAVES, lambda query: leaves.ranked(query.words, N_ANSWERS)),
        f"foxir, PCosine: best {N_ARTICLES} articles": (BM25_ARTICLES, lambda query: _rank(index, query)),
        BM25_ARTICLES: (BM25_ARTICLES, lambda query: articles.ranked(query.words, N_ARTICLES)),
    }
    timings = {name: Timings(name, peer, []) for name, (peer, _) in ways.items()}
    new = Timings(f"{HYBRID_NAME}, words not asked for before", BM25_LEAVES, [])
    for _, ask in ways.values():
        _times(ask, queries)
    for _ in range(repetitions):
        for name, (_, ask) in ways.items():
            timings[name].repetitions.append(_times(ask, queries))
        new.repetitions.append(_times_when_new(indexes, queries, others))
    found = {
        "words": statistics.median(len(query.words) for query in queries),
        "articles that hold a word": statistics.median(len(articles.matches(query.words)) for query in queries),
        "leaves that hold a word": statistics.median(len(leaves.matches(query.words)) for query in queries),
        "answers": statistics.median(len(search(index, query.text, HYBRID)) for query in queries),
    }
    return [*timings.values(), new], found


def _rank(index: IndexReader, query: Query) -> object:
    return rank_articles(index, make_plan(query.text, index.analyser, HYBRID))


def _named(index: IndexReader, query: Query) -> object:
    answers = search(index, query.text, HYBRID)
    places = np.arange(len(answers))
    return ids_of(index, answers, places), paths_of(index, answers, places)


def _times_when_new(indexes: Indexes, queries: Sequence[Query], others: Sequence[Query]) -> Times:
    index = open_reader(indexes.foxir)
    _times(lambda query: search(index, query.text, HYBRID), others)
    return _times(lambda query: search(index, query.text, HYBRID), queries)


def _times(ask: Ask, queries: Sequence[Query]) -> Times:
    times = Times([], [])
    for query in queries:
        wall, cpu = time.perf_counter(), time.thread_time()
        ask(query)
        times.cpu.append((time.thread_time() - cpu) * 1000)
        times.wall.append((time.perf_counter() - wall) * 1000)
    return times
