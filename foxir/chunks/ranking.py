"""Rankings of chunks: from the scores of pieces, and of the documents they are from, to a ranking for each topic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from engine.arrays import FloatArray, Numbers
from engine.ranking.selection.overlap import passages_without_overlap
from engine.runs import Ranking
from foxir.chunks.bm25 import Bm25, Queries, bm25
from foxir.chunks.collection import Collection, Pieces

LIMIT = 1500  # answers a topic
ENOUGH = 20 * LIMIT  # best pieces, among which there are nearly always LIMIT without overlap

Rankings = Mapping[str, Ranking]


@dataclass(frozen=True)
class ScoredChunks:
    """Pieces with two scores for each topic: BM25 of the piece, and BM25 of its article."""

    units: Pieces
    own: Callable[[str], FloatArray]
    article: Callable[[str], FloatArray]


@dataclass(frozen=True)
class Retrieval:
    """Scores of the pieces of a collection for some queries under one analyser; weights may be cached in a folder."""

    collection: Collection
    queries: Queries
    folder: Path | None = None

    def bm25(self, name: str, units: Pieces) -> Bm25:
        """Return the BM25 of some pieces."""
        cache = None if self.folder is None else self.folder / f"{name}-{self.queries.numbers_digest}.npz"
        return bm25(self.collection, units, self.queries, cache)

    def scored(self, name: str, units: Pieces) -> ScoredChunks:
        """Return some pieces with both their scores."""
        model = self.bm25(name, units)
        return ScoredChunks(
            units,
            lambda topic: model.scores(self.queries.of(topic)),
            lambda topic: self.article_scores[topic][units.document],
        )

    @cached_property
    def article_scores(self) -> Mapping[str, FloatArray]:
        """BM25 of every article for every topic."""
        model = self.bm25("articles", self.collection.articles)
        return {topic: model.scores(self.queries.of(topic)) for topic in self.queries.topics}

    def each(self, choose: Callable[[str], Numbers], units: Pieces) -> Rankings:
        """Return the rankings of what is chosen for every topic: places of pieces, best first."""
        return {topic: self.ranking(topic, units, choose(topic)[:LIMIT]) for topic in self.queries.topics}

    def ranking(self, topic: str, units: Pieces, chosen: Numbers) -> Ranking:
        """Return pieces as a ranking of passages (offset and length); measures need nothing else."""
        documents = units.document[chosen]
        starts, lengths = units.start[chosen], units.end[chosen] - units.start[chosen]
        names = [self.collection.ids[document] for document in documents.tolist()]
        return Ranking.ranked(topic, names, None, starts=starts, lengths=lengths)


def best_first(scores: FloatArray, own: FloatArray, limit: int | None = None) -> Numbers:
    """Return the pieces that contain a query word, by falling score, equal ones in collection order.

    limit: maximum number.
    """
    matching = np.flatnonzero(own > 0)
    if limit is not None and len(matching) > limit:
        lowest = np.partition(scores[matching], len(matching) - limit)[len(matching) - limit]
        matching = matching[scores[matching] >= lowest]
    return matching[np.argsort(-scores[matching], kind="stable")][:limit]


def with_article(scored: ScoredChunks, share: float, limit: int | None = None) -> Callable[[str], Numbers]:
    """Return a function from topic to pieces: the best by BM25 + share × BM25 of the article, at most `limit`."""

    def choose(topic: str) -> Numbers:
        own = scored.own(topic)
        return best_first(own + share * scored.article(topic), own, limit)

    return choose


def without_overlap(units: Pieces, *chosen: Callable[[str], Numbers]) -> Callable[[str], Numbers]:
    """Return a function that ranks as the given one, without pieces that overlap a better one; at most LIMIT pieces.

    Of several choices, each the beginning of the next, the first that leaves enough is used.
    """

    def kept(places: Numbers) -> Numbers:
        columns = units.start[places], units.end[places], units.document[places]
        return places[passages_without_overlap(*columns, LIMIT)]

    def choose(topic: str) -> Numbers:
        found = np.empty(0, np.int64)
        for each in chosen:
            found = kept(each(topic))
            if len(found) == LIMIT:
                break
        return found

    return choose


def one_an_article(scored: ScoredChunks) -> Callable[[str], Numbers]:
    """Return a function from topic to the best piece of each article, in the order of the articles' BM25."""

    def choose(topic: str) -> Numbers:
        own, article = scored.own(topic), scored.article(topic)
        matching = np.flatnonzero(own > 0)
        order = matching[np.lexsort((matching, -own[matching], scored.units.document[matching], -article[matching]))]
        documents = scored.units.document[order]
        return order[np.flatnonzero(np.diff(documents, prepend=-1))]

    return choose
