"""BM25 of pieces of documents, by the library bm25s (variant `lucene`)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.arrays import FloatArray
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

    @cached_property
    def digest(self) -> str:
        """A short digest of the queries."""
        return _digest((self.terms, self.analyser.stem))

    @cached_property
    def numbers_digest(self) -> str:
        """Digest of the numbers of terms and the stemmer: the key of cached weights."""
        return _digest((self.numbers, self.analyser.stem))


def _digest(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:12]


class Bm25:
    """The weight of every query term in every piece, a column a term."""

    def __init__(self, indptr: NDArray[np.int64], pieces: NDArray[np.int32], weights: FloatArray, n: int) -> None:
        self._indptr, self._pieces, self._weights, self._n = indptr, pieces, weights, n

    def scores(self, terms: Sequence[int]) -> FloatArray:
        """Return the score of every piece: the sum over the words of a query, repeated ones counted again."""
        scores = np.zeros(self._n)
        for term in terms:
            column = slice(self._indptr[term], self._indptr[term + 1])
            scores[self._pieces[column]] += self._weights[column]
        return scores


def bm25(collection: Collection, units: Pieces, queries: Queries, cache: Path | None = None) -> Bm25:
    """Return BM25 weights of the query terms in some pieces, by bm25s; other words count towards length only.

    Args:
        cache: a file in which the weights are stored for the next call.

    Raises: MissingHostError without bm25s.
    """
    if cache is not None and cache.exists():
        cached = np.load(cache)
        return Bm25(cached["indptr"], cached["pieces"], cached["weights"], len(units))
    require("chunks")
    import bm25s  # noqa: PLC0415  (a library of an extra, and slow to import)

    words = collection.words
    terms = queries.number(words.surfaces)[words.number].tolist()
    corpus = [terms[first:end] for first, end in collection.word_ranges(units).tolist()]
    model = bm25s.BM25(k1=K1, b=B, method="lucene", dtype="float64")
    found = model.build_index_from_ids(list(range(len(queries.numbers) + 1)), corpus, show_progress=False)
    columns = {"indptr": found["indptr"], "pieces": found["indices"], "weights": found["data"]}
    if cache is not None:
        cache.parent.mkdir(parents=True, exist_ok=True)
        part = cache.with_suffix(".part.npz")
        np.savez(part, **columns)
        part.replace(cache)
    return Bm25(**columns, n=len(units))
