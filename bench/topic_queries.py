"""The queries of `bench/ratios.py`: topics, short queries, path queries."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bench.corpus import TRIALS, Corpus
from bench.query_sampling import draw_queries
from bench.structure import draw
from engine.settings import Settings
from engine.topics import read_topics

WORD = re.compile(r"[^\W_]+")
# Of the topics, one in so many is asked; queries that are drawn.
EVERY, N_SHORT, N_PATHS, SEED = 3, 60, 20, 1


@dataclass(frozen=True)
class QuerySet:
    """Queries that are asked together: as foxir is asked, and the words that its peers are asked for; its settings."""

    name: str
    texts: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]
    settings: Settings
    n_answers: int


def query_sets(corpus: Corpus) -> list[QuerySet]:
    """Return all sets of queries; where there are no topics, five short queries together stand for one."""
    short = [query.text for query in draw_queries(corpus, N_SHORT, SEED)]
    topics = TRIALS / "topics.xml"
    if topics.exists():
        long = [topic.title for topic in read_topics(topics).topics[::EVERY]]
    else:
        long = [" ".join(queries) for queries in zip(*[iter(short)] * 5, strict=False)]
    sets = [
        _set(f"{name}, top {n_answers} {kind}", texts, n_answers, passages=kind == "passages")
        for name, texts in (("topics", long), (f"{len(short)} queries of 2-4 words", short))
        for n_answers in (10, 1500)
        for kind in ("elements", "passages")
    ]
    if topics.exists():
        sets.append(_set("paths, top 10 elements", [query.nexi for query in draw(corpus, N_PATHS, SEED)], 10))
    return sets


def _set(name: str, texts: list[str], n_answers: int, *, passages: bool = False) -> QuerySet:
    settings = Settings.from_options(max_answers=n_answers, unit="sentence" if passages else "element")
    words = (tuple(dict.fromkeys(WORD.findall(text.casefold()))) for text in texts)
    return QuerySet(name, tuple(texts), tuple(words), settings, n_answers)
