"""The bench of effectiveness: how it cuts, ranks, merges, makes topics and estimates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.effectiveness.bm25 import Queries, bm25
from bench.effectiveness.chunks import LEVELS, hierarchy, recursive_chunks
from bench.effectiveness.collection import Collection, Units
from bench.effectiveness.known_items import known_items, sentences, write_items
from bench.effectiveness.measures import values
from bench.effectiveness.peers import Merging, folds, one_an_article, with_article, without_overlap
from bench.effectiveness.peers import Scored as Pieces
from bench.effectiveness.table import estimate
from engine.index.build import build_index
from engine.index.locator import IndexLocator
from engine.index.reader import open_reader
from engine.runs import Ranking
from engine.text.analyser import WORD
from engine.topics import read_topics
from eval.judgements import read_assessments

TEXTS = st.text(alphabet="ab \n.", max_size=200)
ARTICLE = """<article><title>Tides of {n}</title>
<section><title>Moon {n}</title><para>{first} Then more.</para><para>{second}</para></section></article>"""


@pytest.fixture
def collection(tmp_path):
    for n in range(4):
        first = f"The moon number {n} raises alpha{n} beta{n} gamma{n} delta{n} epsilon{n} zeta{n} water twice a day."
        second = " ".join(f"word{n}x{m}" for m in range(30)) + "."
        text = ARTICLE.format(n=n, first=first, second=second)
        (tmp_path / f"d{n}.xml").write_text(text, encoding="utf-8")
    build_index(*tmp_path.glob("d*.xml"), into=tmp_path / "i.foxir")
    return Collection(open_reader(tmp_path / "i.foxir"))


def slow_bm25(texts, term, k1=1.2, b=0.75):
    """Score every text for one term: Lucene's variant, ln(1 + (N - n + .5)/(n + .5)) tf/(tf + k1 (1 - b + b l/avl))."""
    words = [[word.casefold() for word in WORD.findall(text)] for text in texts]
    n, mean = sum(term in each for each in words), sum(map(len, words)) / len(words)
    idf = math.log(1 + (len(words) - n + 0.5) / (n + 0.5))
    return [idf * w.count(term) / (w.count(term) + k1 * (1 - b + b * len(w) / mean)) for w in words]


def units(*spans):
    document, start, end = np.array(spans).T
    return Units(document, start, end, np.empty(0, np.int64))


@given(TEXTS, st.integers(1, 40))
def test_chunks_are_disjoint_short_and_lose_white_space_only(text, size):
    spans = recursive_chunks(text, size).tolist()
    covered = [n for start, end in spans for n in range(start, end)]
    assert all(end - start <= size for start, end in spans)
    assert covered == sorted(set(covered))
    assert all(text[n].isspace() for n in set(range(len(text))) - set(covered))


@given(TEXTS, st.integers(1, 40))
def test_chunks_are_those_of_the_library(text, size):
    library = pytest.importorskip("langchain_text_splitters")
    expected = library.RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=0).split_text(text)
    assert [text[start:end] for start, end in recursive_chunks(text, size)] == expected


def test_a_hierarchy_nests_and_keeps_every_word():
    text = " ".join(f"w{n}." if n % 9 == 0 else f"w{n}" for n in range(5000))
    levels, parents = hierarchy(text)
    for spans, size in zip(levels, LEVELS, strict=True):
        found = [WORD.findall(text[start:end]) for start, end in spans.tolist()]
        assert max(map(len, found)) <= size
        assert [word for words in found for word in words] == WORD.findall(text)
    for lower, upper, parent in zip(levels[1:], levels, parents[1:], strict=False):
        assert (upper[parent, 0] <= lower[:, 0]).all()
        assert (lower[:, 1] <= upper[parent, 1]).all()


def test_a_parent_takes_the_place_of_more_than_half_of_its_children():
    tree = Merging(
        units(*[(0, 0, 9)] * 6), np.array([-1, -1, 0, 0, 1, 1]), np.array([False, False, True, True, True, True])
    )
    # both children of 0, so 0 at their mean, 3; one of the two of 1: half is not more than half
    assert tree.merged(np.array([2, 3, 4]), np.array([4.0, 2.0, 3.5])).tolist() == [4, 0]


def test_pieces_are_ranked_by_their_own_score_and_a_share_of_the_articles():
    pieces = Pieces(
        units((0, 0, 5), (0, 5, 9), (1, 0, 5)), lambda _: np.array([1.0, 0.0, 3.0]), lambda _: np.array([2.0, 2.0, 1.0])
    )
    assert with_article(pieces, 0)("t").tolist() == [2, 0]  # the second holds no word: 3 > 1
    assert with_article(pieces, 4)("t").tolist() == [0, 2]  # 1 + 8 > 3 + 4
    assert one_an_article(pieces)("t").tolist() == [0, 2]


def test_what_overlaps_something_above_goes():
    pieces = units((0, 0, 5), (0, 4, 9), (0, 5, 9), (1, 0, 9))
    assert without_overlap(pieces, lambda _: np.array([0, 1, 2, 3]))("t").tolist() == [0, 2, 3]


def test_every_topic_is_held_out_once():
    assert sum(held_out.astype(int) for held_out in folds(23, seed=3)).tolist() == [1] * 23


def test_an_estimate_finds_a_difference_and_none():
    low, high = np.linspace(0, 0.2, 40), np.linspace(0.1, 0.3, 40)
    better = estimate(high, low, seed=1)
    assert better.low < better.mean < better.high
    assert better.mean == pytest.approx(0.2)
    assert better.ratio == pytest.approx(2.0)
    assert better.p == 0.0
    assert estimate(low, low, seed=1).p == 1.0


def test_sentences_keep_their_words():
    text = "  One two.  Three\n\nfour! "
    assert [text[start:end] for start, end in sentences(text)] == ["One two.", "Three", "four!"]


def test_paragraphs_of_a_collection_have_their_places(collection):
    found = collection.named(["para"])
    assert found.document.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert collection.index.text(1)[found.start[2] : found.end[2]].startswith("The moon number 1")
    assert collection.word_ranges(found)[:, 1].tolist() == [22, 52, 74, 104, 126, 156, 178, 208]


def test_scores_are_those_of_the_formula_and_of_the_cache(collection, tmp_path):
    pytest.importorskip("bm25s")
    queries = Queries({"t": "moon", "u": "moon tides moon"}, collection.index.analyser)
    texts = [collection.plain[n].text for n in range(4)]
    once, twice = (bm25(collection, collection.articles, queries, tmp_path / "kept.npz") for _ in range(2))
    moon, tides = np.array(slow_bm25(texts, "moon")), np.array(slow_bm25(texts, "tides"))
    assert once.scores(queries.of("t")) == pytest.approx(moon)
    assert once.scores(queries.of("u")) == pytest.approx(2 * moon + tides)  # a word asked for twice counts twice
    assert twice.scores(queries.of("u")).tolist() == once.scores(queries.of("u")).tolist()


def test_known_items_are_the_same_every_time_and_found_by_themselves(collection, tmp_path):
    items = known_items(collection, seed=1, n=2)
    assert items == known_items(collection, seed=1, n=2)
    assert [item.topic for item in items] == ["KH001", "KH002", "KS001", "KS002"]
    topics, qrels = write_items(items, tmp_path / "known")
    assert [topic.title for topic in read_topics(topics)] == [item.title for item in items]
    assert "Moon" in items[0].title
    rankings = {
        item.topic: Ranking.ranked(item.topic, [item.document], starts=[item.start], lengths=[item.end - item.start])
        for item in items
    }
    locator = IndexLocator(collection.index)
    found = values(rankings, "passages", read_assessments(qrels), locator, list(rankings))
    assert found["AP"].tolist() == [1.0] * 4
