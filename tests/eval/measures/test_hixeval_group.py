from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.runs import Ranking
from eval.judgements.formats.judgements_builder import JudgementsBuilder
from eval.measures.hixeval import hixeval, hixeval_group
from tests.reference.random_topics import topics
from tests.trust.soak import effort


def two_articles():
    builder = JudgementsBuilder("1", "2005", "test")
    builder.document("a", "test:1")
    builder.element("/x[1]", 1, 0.4, 100, 40)
    builder.element("/x[1]/s[1]", 1, 0.5, 60, 30)
    builder.element("/x[1]/s[2]", 1, 1.0, 10, 10)
    builder.document("b", "test:2")
    builder.element("/x[1]", 1, 0.5, 40, 20)
    builder.document("c", "test:3")
    return builder.build()


def test_hand_computed_levels():
    ranking = Ranking.ranked("1", ["a", "c", "a"], ["/x[1]/s[2]", "/x[1]", "/x[1]/s[1]"])

    scores = hixeval_group(ranking, two_articles())

    # article a: P@2 = (10/10 + 30/60)/2, R@2 = 40/40, AP = mean(1, 0.75) * 1; article b was not returned: 0
    assert scores["Prec(element)"] == pytest.approx(0.75 / 2)
    assert scores["Rec(element)"] == pytest.approx(1 / 2)
    assert scores["AP(element)"] == pytest.approx(0.875 / 2)
    # articles a and c: rval/size = 40/100 and 0; 40 of 60 relevant characters; AP = 0.4 at rank 1, times 40/60
    assert scores["Prec(article)"] == pytest.approx(0.4 / 1500)
    assert scores["Rec(article)"] == pytest.approx(40 / 60)
    assert scores["AP(article)"] == pytest.approx(0.4 * 40 / 60)


def test_recall_within_an_article_is_over_its_elements_where_overlap_is_allowed():
    ranking = Ranking.ranked("1", ["a"], ["/x[1]/s[1]"])

    assert hixeval_group(ranking, two_articles(), alpha=0)["Rec(element)"] == pytest.approx(30 / 80 / 2)


@settings(max_examples=effort(5, 1000, thorough=100))
@given(topics(), st.sampled_from([0.0, 1.0]))
def test_one_article_alone_scores_as_a_list_does(topic, alpha):
    relevant = [name for name, marks in topic.highlights.items() if marks]
    assume(len(relevant) == 1)
    topic.results = [result for result in topic.results if result[0] == relevant[0]]
    n = max(len(topic.results), 1)

    grouped = hixeval_group(topic.ranking(), topic.judgements(), topic.documents, alpha=alpha)
    listed = hixeval(topic.ranking(), topic.judgements(), topic.documents, alpha=alpha, at=(n,))

    assert grouped["Prec(element)"] == pytest.approx(listed[f"P@{n}"])
    assert grouped["Rec(element)"] == pytest.approx(listed[f"R@{n}"])
    assert grouped["AP(element)"] == pytest.approx(listed["AP"])


def test_nothing_highlighted_has_no_value():
    builder = JudgementsBuilder("1", "2005", "test")
    builder.document("c", "test:1")

    assert set(hixeval_group(Ranking.ranked("1", ["c"]), builder.build()).values()) == {None}
