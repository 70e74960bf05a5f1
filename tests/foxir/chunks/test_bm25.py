"""BM25 of chunks, and the places of what is retrieved."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bench.effectiveness.cached_weights import CachedRetrieval, queries_digest
from foxir.chunks.collection import WORD
from foxir.chunks.ranking import Queries


def slow_bm25(texts, term, k1=1.2, b=0.75):
    """Score every text for one term: Lucene's variant, ln(1 + (N - n + .5)/(n + .5)) tf/(tf + k1 (1 - b + b l/avl))."""
    words = [[word.casefold() for word in WORD.findall(text)] for text in texts]
    n, mean = sum(term in each for each in words), sum(map(len, words)) / len(words)
    idf = math.log(1 + (len(words) - n + 0.5) / (n + 0.5))
    return [idf * w.count(term) / (w.count(term) + k1 * (1 - b + b * len(w) / mean)) for w in words]


def test_paragraphs_of_a_collection_have_their_places(collection):
    found = collection.named(["para"])
    assert found.document.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert collection.text(1)[found.start[2] : found.end[2]].startswith("The moon number 1")
    assert collection.word_ranges(found)[:, 1].tolist() == [22, 52, 74, 104, 126, 156, 178, 208]


def test_scores_are_those_of_the_formula_and_of_the_cache(collection, tmp_path):
    pytest.importorskip("bm25s")
    queries = Queries({"t": "moon", "u": "moon tides moon"}, collection.index.analyser)
    texts = [collection.plain[n].text for n in range(4)]
    retrieval = CachedRetrieval(collection, queries, tmp_path / "kept")
    once, twice = (retrieval.bm25("articles", collection.articles) for _ in range(2))
    moon, tides = np.array(slow_bm25(texts, "moon")), np.array(slow_bm25(texts, "tides"))
    assert once.scores(queries.of("t")) == pytest.approx(moon)
    assert once.scores(queries.of("u")) == pytest.approx(2 * moon + tides)  # a word asked for twice counts twice
    assert twice.scores(queries.of("u")).tolist() == once.scores(queries.of("u")).tolist()


def test_stop_words_leave_the_query_but_not_a_query_of_nothing_else(collection):
    titles = {"t": "the Moon", "u": "the"}
    queries = Queries(titles, collection.index.analyser, frozenset({"the"}))
    assert queries.terms == {"t": ["moon"], "u": ["the"]}
    assert queries.numbers == Queries(titles, collection.index.analyser).numbers
    assert queries_digest(queries) != queries_digest(Queries(titles, collection.index.analyser))
