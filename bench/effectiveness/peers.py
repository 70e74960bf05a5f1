"""The peers: each turns the scores of pieces into a ranking a topic."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.effectiveness.bm25 import Bm25, Floats, Queries, bm25
from bench.effectiveness.chunks import hierarchy, recursive_chunks
from bench.effectiveness.collection import Collection, Ints, Units
from engine.runs import Ranking

LIMIT = 1500  # answers a topic
SHARE = 4.0  # of the article's BM25 beside a piece's own
SHARES = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)  # that cross-validation chooses from
CHUNK_SIZES = (256, 512, 1000)  # characters
MERGED_FROM = 0.5  # LlamaIndex: a parent takes the place of its children when more than this share of them is there
LEAVES_MERGED = (12, 1500)  # leaves retrieved before merging: as in LlamaIndex's own examples, and all that count

Rankings = Mapping[str, Ranking]


@dataclass(frozen=True)
class Scored:
    """Pieces, what each scores by itself for a topic, and what its article does."""

    units: Units
    own: Callable[[str], Floats]
    article: Callable[[str], Floats]


@dataclass(frozen=True)
class Peers:
    """Everything that is retrieved from, under one analyser; columns of weights are kept in a folder."""

    collection: Collection
    queries: Queries
    folder: Path

    def bm25(self, name: str, units: Units) -> Bm25:
        """Return the BM25 of some pieces."""
        return bm25(self.collection, units, self.queries, self.folder / f"{name}-{self.queries.numbers_digest}.npz")

    def scored(self, name: str, units: Units) -> Scored:
        """Return some pieces with both their scores."""
        model = self.bm25(name, units)
        return Scored(
            units,
            lambda topic: model.scores(self.queries.of(topic)),
            lambda topic: self.article_scores[topic][units.document],
        )

    @cached_property
    def article_scores(self) -> Mapping[str, Floats]:
        """BM25 of every article for every topic."""
        model = self.bm25("articles", self.collection.articles)
        return {topic: model.scores(self.queries.of(topic)) for topic in self.queries.topics}

    def each(self, choose: Callable[[str], Ints], units: Units) -> Rankings:
        """Return the rankings of what is chosen for every topic: places of pieces, best first."""
        return {topic: self.ranking(topic, units, choose(topic)[:LIMIT]) for topic in self.queries.topics}

    def ranking(self, topic: str, units: Units, chosen: Ints) -> Ranking:
        """Return pieces as results by their places, which is all that measures read, of elements as of passages."""
        documents = units.document[chosen]
        starts, lengths = units.start[chosen], units.end[chosen] - units.start[chosen]
        names = [self.collection.ids[document] for document in documents.tolist()]
        return Ranking.ranked(topic, names, None, starts=starts, lengths=lengths)


def best_first(scores: Floats, own: Floats, limit: int | None = None) -> Ints:
    """Return the pieces that hold a word of the query by falling score, equal ones in collection order.

    limit: no more than so many.
    """
    held = np.flatnonzero(own > 0)
    if limit is not None and len(held) > limit:
        lowest = np.partition(scores[held], len(held) - limit)[len(held) - limit]
        held = held[scores[held] >= lowest]
    return held[np.argsort(-scores[held], kind="stable")][:limit]


def with_article(scored: Scored, share: float, limit: int | None = None) -> Callable[[str], Ints]:
    """Return what ranks pieces by their own BM25 and a share of their article's, no more than a limit."""

    def choose(topic: str) -> Ints:
        own = scored.own(topic)
        return best_first(own + share * scored.article(topic), own, limit)

    return choose


def without_overlap(units: Units, *chosen: Callable[[str], Ints]) -> Callable[[str], Ints]:
    """Return the same less what overlaps something above it, up to LIMIT pieces.

    Of several choices, each the beginning of the next, the first that leaves enough is used.
    """

    def kept(places: Ints) -> Ints:
        found: list[int] = []
        given: dict[int, list[tuple[int, int]]] = {}
        columns = units.document[places].tolist(), units.start[places].tolist(), units.end[places].tolist()
        for place, document, start, end in zip(places.tolist(), *columns, strict=True):
            here = given.setdefault(document, [])
            if all(end <= before or after <= start for before, after in here):
                here.append((start, end))
                found.append(place)
                if len(found) == LIMIT:
                    break
        return np.array(found, np.int64)

    def choose(topic: str) -> Ints:
        found = np.empty(0, np.int64)
        for each in chosen:
            found = kept(each(topic))
            if len(found) == LIMIT:
                break
        return found

    return choose


def one_an_article(scored: Scored) -> Callable[[str], Ints]:
    """Return what takes the best piece of each article, articles by their own BM25."""

    def choose(topic: str) -> Ints:
        own, article = scored.own(topic), scored.article(topic)
        held = np.flatnonzero(own > 0)
        order = held[np.lexsort((held, -own[held], scored.units.document[held], -article[held]))]
        documents = scored.units.document[order]
        return order[np.flatnonzero(np.diff(documents, prepend=-1))]

    return choose


def chunked(collection: Collection, size: int) -> Units:
    """Return LangChain-style chunks of all documents."""
    return collection.spans([(n, recursive_chunks(plain.text, size)) for n, plain in enumerate(collection.plain)])


@dataclass(frozen=True)
class Merging:
    """A hierarchy of chunks of all documents: the pieces of all levels, leaves last, and each one's parent (or -1)."""

    units: Units
    parent: Ints
    is_leaf: NDArray[np.bool_]

    @cached_property
    def children(self) -> Ints:
        """How many children each piece has."""
        return np.bincount(self.parent[self.parent >= 0], minlength=len(self.parent))

    def merged(self, places: Ints, scores: Floats) -> Ints:
        """Return pieces by falling score after parents took the place of children: mean score of those replaced."""
        found = dict(zip(places.tolist(), scores.tolist(), strict=True))
        while True:
            families: dict[int, list[int]] = {}
            for place in found:
                if self.parent[place] >= 0:
                    families.setdefault(int(self.parent[place]), []).append(place)
            full = {p: c for p, c in families.items() if len(c) / self.children[p] > MERGED_FROM}
            if not full:
                break
            for parent, children in full.items():
                found[parent] = float(np.mean([found.pop(child) for child in children]))
        return np.array(sorted(found, key=lambda place: (-found[place], place)), np.int64)


def merging(collection: Collection) -> Merging:
    """Return the hierarchy of chunks of all documents."""
    parts, parents, leaves, base = [], [], [], 0
    for document, plain in enumerate(collection.plain):
        levels, above = hierarchy(plain.text)
        begins = np.cumsum([0, *map(len, levels)])
        spans = np.concatenate(levels)
        parts.append((document, spans))
        parents += [np.where(up < 0, -1, up + base + begins[max(n - 1, 0)]) for n, up in enumerate(above)]
        leaves.append(np.arange(len(spans)) >= begins[-2])
        base += len(spans)
    rows = [
        np.stack([np.full(len(s), d), collection.plain[d].source(s[:, 0]), collection.plain[d].source(s[:, 1] - 1) + 1])
        for d, s in parts
    ]
    document, start, end = np.concatenate(rows, axis=1)
    units = Units(document, start, end, np.empty(0, np.int64))
    return Merging(units, np.concatenate(parents), np.concatenate(leaves))


def auto_merging(tree: Merging, scored: Scored, leaf_places: Ints, n_leaves: int) -> Callable[[str], Ints]:
    """Return what retrieves some leaves by BM25 and four times the article's, and merges them."""

    def choose(topic: str) -> Ints:
        own = scored.own(topic)
        scores = own + SHARE * scored.article(topic)
        best = best_first(scores, own, n_leaves)
        return tree.merged(leaf_places[best], scores[best])

    return choose


def folds(n: int, seed: int, n_folds: int = 5) -> Iterator[NDArray[np.bool_]]:
    """Yield which topics are held out, fold by fold."""
    numbers = np.random.default_rng(seed).permutation(n) % n_folds
    for fold in range(n_folds):
        yield numbers == fold
