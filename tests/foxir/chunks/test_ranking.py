"""How chunks are ranked, merged and kept apart."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import foxir
from bench.effectiveness.cached_weights import one_an_article
from engine.index.reader import open_reader
from foxir.chunks.chunkers import Merging
from foxir.chunks.collection import Collection, Pieces
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
