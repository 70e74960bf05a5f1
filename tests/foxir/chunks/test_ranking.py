"""How chunks are ranked, merged and kept apart."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import foxir
from bench.effectiveness.cached_weights import CachedRetrieval, one_an_article, queries_digest
from engine.index.reader import open_reader
from foxir.chunks.chunkers import Merging
from foxir.chunks.collection import WORD, Collection, Pieces
from foxir.chunks.ranking import LIMIT, Queries, Retrieval, ScoredChunks, best_first, with_article, without_overlap
from tests.foxir.chunks.conftest import write_articles


def units(*spans):
    document, start, end = np.array(spans).T
    return Pieces(document, start, end, np.empty(0, np.int64))


def test_a_parent_takes_the_place_of_more_than_half_of_its_children():
    tree = Merging(
        units(*[(0, 0, 9)] * 6), np.array([-1, -1, 0, 0, 1, 1]), np.array([False, False, True, True, True, True])
    )
    # both children of 0, so 0 at their mean, 3; one of the two of 1: half is not more than half
    assert tree.merged(np.array([2, 3, 4]), np.array([4.0, 2.0, 3.5])).tolist() == [4, 0]


def test_pieces_are_ranked_by_their_own_score_and_a_share_of_the_articles():
    pieces = ScoredChunks(
        units((0, 0, 5), (0, 5, 9), (1, 0, 5)), lambda _: np.array([1.0, 0.0, 3.0]), lambda _: np.array([2.0, 2.0, 1.0])
    )
    assert with_article(pieces, 0)("t").tolist() == [2, 0]  # the second holds no word: 3 > 1
    assert with_article(pieces, 4)("t").tolist() == [0, 2]  # 1 + 8 > 3 + 4
    assert one_an_article(pieces)("t").tolist() == [0, 2]


def test_what_overlaps_something_above_goes():
    pieces = units((0, 0, 5), (0, 4, 9), (0, 5, 9), (1, 0, 9))
    assert without_overlap(pieces, lambda _: np.array([0, 1, 2, 3]))("t").tolist() == [0, 2, 3]


@given(st.lists(st.integers(0, 5), max_size=30), st.integers(1, 40))
def test_the_best_are_the_beginning_of_all_by_falling_score(scores, limit):
    found = np.array(scores, float)
    assert best_first(found, found, limit).tolist() == best_first(found, found)[:limit].tolist()


def test_a_second_choice_is_used_only_where_the_first_leaves_too_few():
    pieces = units(*[(n, 0, 5) for n in range(LIMIT + 1)])
    every, tried = np.arange(LIMIT + 1), []

    def choice(n):
        return lambda _: (tried.append(n), every[:n])[1]

    assert without_overlap(pieces, choice(LIMIT), choice(LIMIT + 1))("t").tolist() == every[:LIMIT].tolist()
    assert tried == [LIMIT]
    assert without_overlap(pieces, choice(3), choice(4))("t").tolist() == [0, 1, 2, 3]


@pytest.mark.long
def test_rankings_depend_on_the_live_documents_alone(tmp_path):
    """Deleted documents, segments and shards change nothing; equal scores are in the order of document ids."""
    source, grown = tmp_path / "source", tmp_path / "grown.foxir"
    source.mkdir()
    files = write_articles(source)
    (source / "gone.xml").write_text("<article><para>moon water</para></article>", "utf-8")
    foxir.build_index(source, into=grown)
    (source / "gone.xml").unlink()
    for file, name in zip(files, "zayb", strict=True):
        shutil.copy(file, source / f"{name}.xml")
        foxir.build_index(into=grown)
    foxir.build_index(source, into=tmp_path / "new.foxir")
    foxir.build_index(source, into=tmp_path / "shards.foxir", shards=3)

    found = {}
    for name in ("new", "shards", "grown"):
        collection = Collection(open_reader(tmp_path / f"{name}.foxir"))
        retrieval = Retrieval(collection, Queries({"1": "moon water", "2": "beta1 Tides"}, collection.index.analyser))
        scored = retrieval.scored("elements", collection.elements)
        chosen = without_overlap(scored.units, with_article(scored, 4.0))
        rankings = retrieval.each(chosen, scored.units)
        found[name] = {
            topic: (list(ranking.documents), ranking.starts.tolist(), ranking.lengths.tolist())
            for topic, ranking in rankings.items()
        }
        assert len(collection.ids) == 8

    assert found["new"] == found["shards"] == found["grown"]
    assert found["new"]["1"][0]


# BM25 of chunks, and the places of what is retrieved.


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
