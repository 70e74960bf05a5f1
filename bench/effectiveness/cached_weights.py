"""Retrieval of chunks whose BM25 weights are kept in files, and the best chunk of each article."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.arrays import Numbers
from foxir.chunks.collection import Collection, Pieces
from foxir.chunks.ranking import Bm25, Queries, Retrieval, ScoredChunks


def digest(value: object) -> str:
    """Return a short digest of a value."""
    return hashlib.sha256(repr(value).encode()).hexdigest()[:12]


def collection_digest(collection: Collection) -> str:
    """Return a short digest of documents: their ids and how many elements each has."""
    return digest((collection.ids, (collection.end_row - collection.first_row).tolist()))


def queries_digest(queries: Queries) -> str:
    """Return a short digest of queries."""
    return digest((queries.terms, queries.analyser.stem))


@dataclass(frozen=True)
class CachedRetrieval(Retrieval):
    """Scores of pieces for some queries; weights are kept in a folder, by the numbers of terms and the stemmer."""

    folder: Path

    def bm25(self, name: str, units: Pieces) -> Bm25:
        """Return the BM25 of some pieces."""
        file = self.folder / f"{name}-{digest((self.queries.numbers, self.queries.analyser.stem))}.npz"
        if file.exists():
            with np.load(file) as cached:
                return Bm25(**cached, n=len(units))
        found = super().bm25(name, units)
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part.npz")
        np.savez(part, indptr=found.indptr, pieces=found.pieces, weights=found.weights)
        part.replace(file)
        return found


def one_an_article(scored: ScoredChunks) -> Callable[[str], Numbers]:
    """Return a function from topic to the best piece of each article, in the order of the articles' BM25."""

    def choose(topic: str) -> Numbers:
        own, article = scored.own(topic), scored.article(topic)
        matching = np.flatnonzero(own > 0)
        order = matching[np.lexsort((matching, -own[matching], scored.units.document[matching], -article[matching]))]
        documents = scored.units.document[order]
        return order[np.flatnonzero(np.diff(documents, prepend=-1))]

    return choose
