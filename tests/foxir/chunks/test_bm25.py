"""BM25 of chunks, and the places of what is retrieved.

The plain text of documents, and where its characters come from.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import foxir
from bench.effectiveness.cached_weights import CachedRetrieval, queries_digest
from engine.index.reader import open_reader
from foxir.chunks.collection import WORD, Collection
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


PAGE = (
    '<TEI><teiHeader/><text><p>to the<lb/>lighthouse, a cap<lb break="no"/>stan</p> <p><lb/>and '
    "<hi>fo</hi>g<lb/> </p></text></TEI>"
)


def test_a_blank_line_sets_blocks_apart_and_a_blank_words_at_a_break(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(PAGE, encoding="utf-8")
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "index", stem="none")
    collection = Collection(open_reader(tmp_path / "index"))
    plain, text = collection.plain[0], collection.text(0)

    assert plain.text.rstrip() == "to the lighthouse, a capstan\n\nand fog"
    for word in ("the", "lighthouse", "capstan", "fog"):
        place = int(plain.source(np.array([plain.text.index(word)]))[0])
        assert text[place : place + len(word)] == word
