"""Answers as a sequence and as columns; queries that find nothing.

The topics of the sample collection have the same answers in every way to search.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.index.locator import element_paths
from engine.index.reader import IndexReader, open_reader
from engine.settings import Settings
from engine.topics import read_topics
from tests.engine.check_answers import WAYS, search
from tests.engine.ranking.by_structure import by_structure
from tests.engine.small_index import answers_to, build_index, grown_index, index_of
from tests.reference import random_collections
from tests.reference.flat_documents import FlatDocuments
from tests.reference.random_collections import PROFILE
from tests.trust.soak import effort, some

APPROACHES = ("hybrid", "fulltext", "native")


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    documents = {
        "a": "<a><s><p>sea</p><p>tide and sea</p></s><q><p>sea</p></q></a>",
        "b": "<a>\n <p>sea</p>\n</a>",
        "c": "<a>lamp<p>reef</p></a>",
    }
    return index_of(tmp_path_factory.mktemp("index"), documents)


def test_a_child_named_like_the_root_counts_from_one(tmp_path):
    # DITA nests topic in topic: the root is not a sibling of its children
    index = index_of(tmp_path, {"a": "<topic><topic>sea</topic><p/><topic>tide</topic><topic>sea</topic></topic>"})

    answers = answers_to(index, "sea", **by_structure(answers="matching", reading="CO"))

    assert answers.paths == ["/topic[1]/topic[1]", "/topic[1]/topic[3]"]


def test_paths_of_elements_in_any_order(tmp_path):
    index = index_of(tmp_path, {"a": "<a><b><c/></b><b>sea</b></a>", "z": "<z><y>sea</y></z>"})

    assert element_paths(index, np.array([5, 3, 2, 0, 2])) == [
        "/z[1]/y[1]",
        "/a[1]/b[2]",
        "/a[1]/b[1]/c[1]",
        "/a[1]",
        "/a[1]/b[1]/c[1]",
    ]


def test_answers_are_a_sequence(index):
    answers = answers_to(index, "sea", **by_structure(answers="nCRE", heuristic="MpB", reading="CO"))

    assert len(answers) == 4
    assert [answer.rank for answer in answers] == [1, 2, 3, 4]
    assert [answer.path for answer in answers] == answers.paths
    assert [answer.document for answer in answers] == answers.document_ids
    assert [answer.rank for answer in answers[1:3]] == [2, 3]
    assert [answer.rank for answer in answers[:]] == [1, 2, 3, 4]
    assert (answers[-1].rank, answers[0].rank) == (4, 1)
    for place in (4, -5):
        with pytest.raises(IndexError, match=f"answer {place} of 4"):
            answers[place]


@pytest.mark.parametrize("options", [{}, {"passages": True}, {"answers": "//p"}])
def test_texts_of_several_answers_are_those_that_each_has(options, sample):
    answers = answers_to(sample, "fog signal tide", **options).rows[1:9]

    one_by_one = [(answer.snippet, answer.breadcrumb) for answer in answers]
    assert list(zip(answers.snippets, answers.breadcrumbs, strict=True)) == one_by_one
    assert len({snippet.text for snippet in answers.snippets}) > 3


def test_an_answer_knows_its_article(index):
    answers = answers_to(index, "sea", **by_structure(answers="nCRE", heuristic="MpB", reading="CO"))

    ranks = [(answer.document, answer.article_rank) for answer in answers]
    assert ranks == [("a", 1), ("a", 1), ("a", 1), ("b", 2)]
    best, second = answers[0].article_score, answers[3].article_score
    assert best > second > 0
    assert [answer.article_score for answer in answers] == [best, best, best, second]


def test_native_answers_have_no_article_score(index):
    answers = answers_to(index, "sea", **by_structure(approach="native", answers="oCRE", heuristic="MpE", reading="CO"))

    assert [answer.article_score for answer in answers] == [0.0] * len(answers)


@pytest.mark.parametrize("limit", [3, 4, 1500])
def test_rsv_of_elements_follows_from_rank_and_limit(index, limit):
    answers = answers_to(index, "sea", **by_structure(answers="nCRE", heuristic="MpB", max_answers=limit, reading="CO"))

    assert [answer.rsv for answer in answers] == [(limit + 1 - rank) / limit for rank in range(1, len(answers) + 1)]
    assert len(answers) == min(limit, 4)


def test_rsv_of_articles_is_their_similarity(index):
    answers = answers_to(index, "sea", approach="fulltext", reading="CO")

    assert answers.rsv.tolist() == [answer.article_score for answer in answers]
    assert answers.rsv[0] > answers.rsv[1] > 0


def test_texts_spans_and_sizes(index):
    answers = answers_to(index, "sea", **by_structure(answers="nCRE", heuristic="MpB", reading="CO"))

    assert [(answer.path, answer.start, answer.end, answer.size, answer.text) for answer in answers] == [
        ("/a[1]", 0, 18, 18, "seatide and seasea"),
        ("/a[1]/s[1]", 0, 15, 15, "seatide and sea"),
        ("/a[1]/q[1]/p[1]", 15, 18, 3, "sea"),
        ("/a[1]/p[1]", 2, 5, 3, "sea"),
    ]
    assert answers.spans.tolist() == [[answer.start, answer.end] for answer in answers]


@settings(max_examples=effort(2, 500, thorough=60), deadline=None)
@given(
    st.lists(random_collections.collections, min_size=1, max_size=2),
    random_collections.queries,
    random_collections.settings(),
)
@pytest.mark.long
def test_spans_are_those_of_the_documents_and_rsv_falls(steps, query, chosen):
    documents = FlatDocuments({name: source.encode() for name, source in steps[-1].items()})

    with grown_index(steps, profile_text=PROFILE) as index:
        answers = answers_to(index, query, **by_structure(reading="CO", **chosen))
        for answer in answers:
            assert (answer.start, answer.end) == documents.places[answer.document][answer.path]
            assert answer.text == documents.texts[answer.document][answer.start : answer.end]
        assert answers.spans.shape == (len(answers), 2)
        if chosen["approach"] == "fulltext":
            assert (np.diff(answers.rsv) <= 0).all()
        else:
            assert (np.diff(answers.rsv) < 0).all()


@pytest.mark.parametrize("approach", APPROACHES)
@pytest.mark.parametrize(
    "query", ["nowhere", '"nowhere at sea"', "-sea", '-"sea" -tide', "+nowhere sea", "sea +nowhere"]
)
def test_queries_that_find_nothing(index, approach, query):
    if query == '"nowhere at sea"' and approach == "fulltext":
        query = '"nowhere elsewhere"'  # for articles a phrase is its words
    answers = answers_to(index, query, **by_structure(approach=approach, answers="oCRE", heuristic="MpE", reading="CO"))

    assert (len(answers), list(answers), answers[:], answers.paths) == (0, [], [], [])
    assert answers.document_ids == []
    assert answers.spans.shape == (0, 2)


@pytest.mark.parametrize("approach", APPROACHES)
def test_a_query_of_stop_words_finds_nothing(tmp_path, approach):
    index = index_of(tmp_path, {"a": "<a>the sea</a>"}, stop="english")

    assert len(answers_to(index, "the", **by_structure(approach=approach, reading="CO"))) == 0
    assert len(answers_to(index, '"of the"', **by_structure(approach=approach, reading="CO"))) == 0
    assert len(answers_to(index, "the sea", **by_structure(approach=approach, reading="CO"))) == 1


def test_a_query_without_a_word_finds_nothing(index):
    assert len(answers_to(index, "...", **by_structure(reading="CO"))) == 0


@pytest.mark.long
def test_indexes_without_documents_or_words_find_nothing(tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    for content in (None, "<a/>", "<a>sea</a>", None):
        (source / "a.xml").unlink(missing_ok=True)
        if content:
            (source / "a.xml").write_text(content, "utf-8")
        build_index(source, into=tmp_path / "index", profile="none")
        for approach, similarity in product(APPROACHES, ["pcosine", "okapi", "dirichlet"]):
            ranked = by_structure(approach=approach, similarity=similarity, reading="CO")
            answers = answers_to(open_reader(tmp_path / "index"), "sea", **ranked)
            assert len(answers) == (content == "<a>sea</a>"), (approach, similarity)


TOPICS = sorted((Path(__file__).parents[3] / "topics").glob("c*/*.xml"))
OPTIONS: list[dict[str, Any]] = [
    {},
    {"max_answers": 3},
    {"passages": True},
    {"passages": True, "max_answers": 3},
    {"focus": 0.8},
    {"rank_by": "structure"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_topics_have_the_same_answers(sample: IndexReader, way: Any, options: dict[str, Any]) -> None:
    settings, n_answers = Settings.from_options(**options), 0
    for topic in some([topic for path in TOPICS for topic in read_topics(path).topics], 5):
        n_answers += len(search(sample, topic.castitle or topic.title, settings, ways=[way]))
    assert n_answers > 10
