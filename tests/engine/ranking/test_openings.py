"""Scores of openings, the first words of articles, equal a plain reference, also after updates of the index."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from engine.explain.explain import explain
from engine.index.reader import IndexReader
from engine.index.texts import opening
from engine.ranking.articles import rank_articles
from engine.ranking.parts.part import left_to_right
from engine.ranking.search import plan_query
from engine.settings import Settings
from tests.engine.ranking.scoring.test_reference import written
from tests.engine.similarity.random_input import collections, queries
from tests.engine.small_index import answers_to, grown_index, index_of
from tests.reference.similarity import Node, nodes
from tests.trust.soak import effort


def article_scores(index: IndexReader, query: str, **options: object) -> dict[str, float]:
    plan = plan_query(index, query, Settings.from_options(**options))
    ranked = rank_articles(index, plan)
    return {index.ids[d]: score for d, score in zip(ranked.documents.tolist(), ranked.scores.tolist(), strict=True)}


def plain_openings(collection: Sequence[Node], n_words: int) -> dict[str, Counter[str]]:
    """Return the first words of each document, leaf by leaf."""
    return {
        name: Counter([word for node, _ in nodes(tree) for word in node.words][:n_words])
        for name, tree in zip(written(list(collection)), collection, strict=True)
    }


def idf(n: int, n_t: int) -> float:
    return math.log(1 + (n - n_t + 0.5) / (n_t + 0.5))


@given(
    *(collections, collections, queries, st.sampled_from([1, 2, 5, 50])),
    *(st.sampled_from(["bm25", "okapi", "dirichlet", "D[CB-AEH-BEA]"]), st.sampled_from([0.6, 3])),
)
@hypothesis_settings(max_examples=effort(8, 2000, thorough=150), deadline=None)
@pytest.mark.long
def test_openings_add_their_bm25_to_the_scores_of_articles(
    before: list[Node], collection: list[Node], query: list[str], n_words: int, similarity: str, weight: float
) -> None:
    openings, text = plain_openings(collection, n_words), " ".join(query)
    o_t = {word: sum(word in each for each in openings.values()) for word in set(query)}
    with patch.object(opening, "OPENING_WORDS", n_words), grown_index([written(before), written(collection)]) as index:
        alone = article_scores(index, text, similarity=similarity, opening_weight=0)
        found = article_scores(index, text, similarity=similarity, opening_weight=weight)

    assert found.keys() == alone.keys()
    for document, score in found.items():
        opened = openings[document]
        added = sum(idf(len(collection), o_t[w]) * 2.2 * opened[w] / (1.2 + opened[w]) for w in set(query))
        assert score == pytest.approx(alone[document] + weight * added)
    assert list(found.values()) == sorted(found.values(), reverse=True)


LONG = " ".join(["tide"] * 49)
DOCUMENTS = {
    "within": f"<a><p>{LONG} fog</p><p>lamp reef</p></a>",
    "after": f"<a><p>{LONG} reef</p><p>fog lamp</p></a>",
    "nowhere": f"<a><p>{LONG} reef</p><p>lamp lamp</p></a>",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    return index_of(tmp_path_factory.mktemp("openings"), DOCUMENTS)


def test_the_fiftieth_word_is_the_last_of_an_opening(index: IndexReader) -> None:
    alone, found = (article_scores(index, "fog", opening_weight=weight) for weight in (0, 0.4))

    assert alone["within"] == alone["after"]
    assert found["within"] == pytest.approx(alone["within"] + 0.4 * idf(3, 1))
    assert found["after"] == alone["after"]


def test_an_opening_is_explained_and_its_parts_add_up(index: IndexReader) -> None:
    for document in ("within", "after"):
        why = explain(index, "fog lamp", document, "/a[1]/p[1]", Settings()).article

        assert left_to_right(why.details) == why.value
        facts = [part.facts for part in why.find("opening_term")]
        assert facts == ([{"term": "fog", "weight": 0.4, "tf": 1, "df": 1}] if document == "within" else [])
        assert why.description.startswith("bm25 and opening, " if facts else "bm25, ")


def test_terms_that_a_word_stands_for_are_counted_together(index: IndexReader) -> None:
    found, within = index.postings("fog|reef|tide"), index.number("within")

    assert found.opening_documents.tolist() == found.documents.tolist() == [0, 1, 2]
    assert found.opening_tf.tolist() == [50, 50, 50]
    assert found.tf.tolist() == [
        51 if number == within else 50 + (number == index.number("after")) for number in range(3)
    ]


def test_whole_articles_are_ranked_by_the_similarity_alone(index: IndexReader) -> None:
    assert article_scores(index, "fog", approach="fulltext") == article_scores(index, "fog", opening_weight=0)


def test_a_deleted_document_does_not_count(tmp_path: Path) -> None:
    kept = {name: text for name, text in DOCUMENTS.items() if name != "within"}
    again = {**kept, "second": DOCUMENTS["within"]}
    with grown_index([DOCUMENTS, again]) as grown, index_of(tmp_path, again) as made:
        assert article_scores(grown, "fog reef") == article_scores(made, "fog reef")
        assert [each.score for each in answers_to(grown, "fog")] == [each.score for each in answers_to(made, "fog")]
