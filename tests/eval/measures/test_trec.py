from __future__ import annotations

from math import log2

import pytest

from engine.runs import Ranking
from eval.judgements.formats.judgements_builder import JudgementsBuilder
from eval.measures.trec import trec


def judgements(scale="fol"):
    builder = JudgementsBuilder("1", scale, "test")
    for name, size in (("a", 20), ("b", 0), ("c", 5), ("d", 0)):
        builder.document(name, name, length=100, highlighted=size)
        if size:
            builder.passage(0, size)
    return builder.build()


def test_articles_count_at_their_first_result():
    # articles b, a, x, c: relevant a at 2, c at 4
    scores = trec(Ranking.ranked("1", ["b", "a", "b", "a", "x", "a", "c"]), judgements(), at=(1, 2, 5))

    assert scores["AP"] == pytest.approx((1 / 2 + 2 / 4) / 2)
    assert scores["Rprec"] == 0.5
    assert scores["RR"] == 0.5
    assert [scores["P@1"], scores["P@2"], scores["P@5"]] == pytest.approx([0, 1 / 2, 2 / 5])
    assert scores["nDCG@10"] == pytest.approx((1 / log2(3) + 1 / log2(5)) / (1 + 1 / log2(3)))
    # b is judged and ranked above both, two are judged not relevant: 1 - 1/2 each
    assert scores["Bpref"] == pytest.approx(0.5)


def test_all_scores_equal_keep_the_order_of_the_ranking():
    tied = Ranking.ranked("1", ["b", "a", "c"], rsv=[1.0, 1.0, 1.0])

    assert trec(tied, judgements()) == trec(Ranking.ranked("1", ["b", "a", "c"]), judgements())


def test_a_topic_without_results_scores_zero():
    assert set(trec(Ranking.ranked("1", []), judgements()).values()) == {0.0}


def test_the_relevant_articles_first_score_one():
    scores = trec(Ranking.ranked("1", ["c", "a", "b"]), judgements(), at=(1, 2))

    assert list(scores.values()) == pytest.approx([1.0] * len(scores))


def test_an_article_with_a_relevant_element_is_relevant_on_graded_scales():
    builder = JudgementsBuilder("1", "2003", "test")
    for name, grade in (("a", 1), ("b", 0)):
        builder.document(name, name)
        builder.element("/a[1]", grade, float(grade), -1, -1)

    assert trec(Ranking.ranked("1", ["b", "a"]), builder.build())["AP"] == 0.5


def test_nothing_relevant_has_no_value_and_nothing_returned_scores_zero():
    builder = JudgementsBuilder("1", "fol", "test")
    builder.document("b", "b", highlighted=0)

    assert set(trec(Ranking.ranked("1", ["b"]), builder.build()).values()) == {None}
    assert set(trec(Ranking.ranked("1", []), judgements()).values()) == {0.0}


def test_recall_and_ndcg_have_any_rank():
    # articles b, a, x, c: relevant a at 2, c at 4
    ranking = Ranking.ranked("1", ["b", "a", "x", "c"])
    scores = trec(ranking, judgements(), recall_at=(1, 2, 4), ndcg_at=(2,))

    assert [scores["R@1"], scores["R@2"], scores["R@4"]] == pytest.approx([0, 1 / 2, 1])
    assert scores["nDCG@2"] == pytest.approx((1 / log2(3)) / (1 + 1 / log2(3)))
    assert "nDCG@10" not in scores
