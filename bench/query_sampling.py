"""Seeded queries, drawn from the collection that they are asked of.

A query has 2, 3 or 4 words in turn, all of one document, which is drawn in proportion to its size. Words are ASCII
letters, at least three of them (any tokeniser agrees on these), and come from bands of document frequency in turn, so
that every query mixes frequent and rare words and all queries together use the bands equally often.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from lxml import etree

from bench.corpus import Corpus
from bench.peers.fts5 import PARSER, own_texts

WORD = re.compile(r"[^\W_]+")
BANDS = ((0.05, 0.30), (0.005, 0.05), (0.0, 0.005))  # shares of all documents, the upper exclusive
LEAST = 2  # documents that hold a word; words of as many are in the last band however small the collection is


@dataclass(frozen=True)
class Query:
    """Words that are asked for together, and how many documents hold each."""

    words: tuple[str, ...]
    frequencies: tuple[int, ...]

    @property
    def text(self) -> str:
        """The query as it is typed."""
        return " ".join(self.words)


def draw_queries(corpus: Corpus, n_queries: int, seed: int) -> list[Query]:
    """Return seeded queries; fewer than asked for where the collection is too small for that many."""
    words_of = [_words(path.read_bytes()) for path in corpus.files]
    frequencies = Counter(word for words in words_of for word in words)
    rng = random.Random(seed)
    queries: list[Query] = []
    for _ in range(1_000 * n_queries):
        if len(queries) == n_queries:
            break
        document = rng.choices(words_of, corpus.sizes)[0]
        bands = [(len(queries) + place) % len(BANDS) for place in range(2 + len(queries) % 3)]
        if words := _one_a_band(document, bands, frequencies, len(corpus.files), rng):
            queries.append(Query(tuple(words), tuple(frequencies[word] for word in words)))
    if not queries:
        raise SystemExit("bench: the collection is too small to draw queries from: name a larger one by --source.")
    return queries


def _words(raw: bytes) -> frozenset[str]:
    try:
        root = etree.fromstring(raw, PARSER)
    except etree.XMLSyntaxError:
        return frozenset()
    found = WORD.findall(" ".join(filter(None, own_texts(root))).casefold())
    return frozenset(word for word in found if len(word) >= 3 and word.isascii() and word.isalpha())


def _one_a_band(
    document: frozenset[str], bands: Sequence[int], frequencies: Counter[str], n_documents: int, rng: random.Random
) -> list[str]:
    """Return a word of the document from each band, all different; none where a band has no word left."""
    words: list[str] = []
    for band in bands:
        low, high = (
            max(share * n_documents, fewest) for share, fewest in zip(BANDS[band], (LEAST, LEAST + 1), strict=True)
        )
        fitting = sorted(word for word in document if low <= frequencies[word] < high and word not in words)
        if not fitting:
            return []
        words.append(rng.choice(fitting))
    return words
