"""Rankings of chunks: from BM25 of pieces, and of the documents they are from, to a ranking for each topic.

BM25 is that of the library bm25s (variant `lucene`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.arrays import FloatArray, Numbers
from engine.ranking.selection.overlap import passages_without_overlap
from engine.runs import Ranking
from engine.similarity.parameters import TABLE
from engine.text.analyser import Analyser
from foxir.adapters.hosts import require
from foxir.chunks.collection import WORD, Collection, Pieces

K1, B = (float(TABLE[name].default) for name in ("k1", "b"))


class Queries:
    """The terms of all topics, numbered from 1; words that no topic contains have number 0.

    Stop words are left out of queries only, unless nothing would remain, so pieces are weighted once for all lists.
    """

    def __init__(self, titles: Mapping[str, str], analyser: Analyser, stop_words: frozenset[str] = frozenset()) -> None:
        self.analyser = analyser
        words = {topic: WORD.findall(title) for topic, title in titles.items()}
        asked = {
            topic: [word for word in every if word.casefold() not in stop_words] or every
            for topic, every in words.items()
        }
        self.terms = {topic: self._terms(each) for topic, each in asked.items()}
        known = sorted({term for each in words.values() for term in self._terms(each)})
        self.numbers = {term: n for n, term in enumerate(known, 1)}
        self.topics: Sequence[str] = list(titles)

    def _terms(self, words: Iterable[str]) -> list[str]:
        return [term for term in map(self.analyser.term, words) if term]

    def of(self, topic: str) -> list[int]:
        """Return the numbers of a topic's terms, one an occurrence."""
        return [self.numbers[term] for term in self.terms[topic]]

    def number(self, surfaces: Sequence[str]) -> NDArray[np.int32]:
        """Return the term's number of each word."""
        return np.array([self.numbers.get(self.analyser.term(word) or "", 0) for word in surfaces], np.int32)


@dataclass(frozen=True)
class Bm25:
    """The weight of every query term in every piece, a column a term."""

    indptr: NDArray[np.int64]
    pieces: NDArray[np.int32]
    weights: FloatArray
    n: int

    def scores(self, terms: Sequence[int]) -> FloatArray:
        """Return the score of every piece: the sum over the words of a query, repeated ones counted again."""
        scores = np.zeros(self.n)
        for term in terms:
            column = slice(self.indptr[term], self.indptr[term + 1])
            scores[self.pieces[column]] += self.weights[column]
        return scores


def bm25(collection: Collection, units: Pieces, queries: Queries) -> Bm25:
    """Return BM25 weights of the query terms in the pieces, by bm25s; other words count towards length only.

    Raises: MissingHostError without bm25s.
    """
    require("chunks")
    import bm25s  # noqa: PLC0415  (a library of an extra, and slow to import)

    words = collection.words
    terms = queries.number(words.surfaces)[words.number].tolist()
    corpus = [terms[first:end] for first, end in collection.word_ranges(units).tolist()]
    model = bm25s.BM25(k1=K1, b=B, method="lucene", dtype="float64")
    found = model.build_index_from_ids(list(range(len(queries.numbers) + 1)), corpus, show_progress=False)
    return Bm25(found["indptr"], found["indices"], found["data"], len(units))


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
    """Scores of the pieces of a collection by query under one analyser."""

    collection: Collection
    queries: Queries

    def bm25(self, name: str, units: Pieces) -> Bm25:
        """Return the BM25 of the pieces, which a cache may know by a name."""
        return bm25(self.collection, units, self.queries)

    def scored(self, name: str, units: Pieces) -> ScoredChunks:
        """Return the pieces with both their scores."""
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
        """Return the ranking of the chosen pieces for every topic: their places, best first."""
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
        apart: Numbers = places[passages_without_overlap(*columns, LIMIT)]
        return apart

    def choose(topic: str) -> Numbers:
        found = np.empty(0, np.int64)
        for each in chosen:
            found = kept(each(topic))
            if len(found) == LIMIT:
                break
        return found

    return choose
