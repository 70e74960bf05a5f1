from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.errors import MeasureError
from engine.runs import Ranking
from eval.judgements.formats.judgements_builder import JudgementsBuilder
from eval.measures.best_in_context import bic
from eval.measures.relevant_in_context import ric
from tests.reference import focused as reference
from tests.reference.flat_documents import FlatDocuments
from tests.reference.random_topics import doubled, topics
from tests.trust.soak import effort


def score(topic, results=None, **options):
    topic = topic if results is None else replace(topic, results=results)
    options.setdefault("overlapping", "union")
    return ric(topic.ranking(offsets=True), topic.judgements(elements=False), **options)


def check(found, scores, relevant):
    precision, recall, average, curve = reference.generalised(scores, relevant)
    for rank, (p, r) in enumerate(zip(precision, recall, strict=True), 1):
        assert (found[f"gP[{rank}]"], found[f"gR[{rank}]"]) == pytest.approx((float(p), float(r)))
    assert found["AgP"] == pytest.approx(float(average))
    assert [found[f"iP[{x / 10:.2f}]"] for x in range(11)] == pytest.approx([float(p) for p in curve])
    if precision:  # past the end the last value stays
        assert found["gP[9]"] == pytest.approx(float(precision[-1]))


def relevant_by_article(topic):
    return {name: {c for c in topic.relevant if c[0] == name} for name in topic.documents.texts}


@settings(max_examples=effort(6, 1500, thorough=150))
@given(topics(), st.sampled_from([Fraction(1, 4), Fraction(1), Fraction(0)]))
def test_f_scores_and_curves_equal_those_of_character_sets(topic, beta):
    assume(topic.relevant)
    marked = relevant_by_article(topic)
    returned = reference.articles(topic.places)
    scores = {name: reference.f_score(text, marked[name], beta) for name, text in returned.items()}

    found = score(topic, beta=float(beta), at=(1, 2, 3, 9))

    check(found, scores, {name for name, text in marked.items() if text})


@settings(max_examples=effort(6, 1500, thorough=150))
@given(topics(), st.integers(1, 12))
def test_reading_until_the_tolerance_equals_reading_character_by_character(topic, tolerance):
    assume(topic.relevant)
    marked = relevant_by_article(topic)
    scores = {
        name: reference.t2i_score(name, len(topic.documents.texts[name]), text, marked[name], tolerance)
        for name, text in reference.articles(topic.places).items()
    }

    found = score(topic, t2i=tolerance, at=(1, 2, 3, 9))

    check(found, scores, {name for name, text in marked.items() if text})


@settings(max_examples=effort(3, 1000, thorough=100))
@given(topics(), st.data())
def test_a_duplicate_changes_nothing(topic, data):
    assume(topic.relevant)
    twice = doubled(topic, data)

    assert score(topic, twice) == score(topic)
    assert score(topic, twice, t2i=5) == score(topic, t2i=5)


@settings(max_examples=effort(6, 1250, thorough=50))
@given(topics())
def test_returning_the_passages_of_every_article_scores_one(topic):
    assume(topic.relevant)
    spans = [(name, start, end) for name, marks in topic.highlights.items() for start, end in marks]
    names, starts, ends = zip(*spans, strict=True)
    ranking = Ranking.ranked("1", names, starts=starts, lengths=np.subtract(ends, starts))

    scores = ric(ranking, topic.judgements(elements=False))

    assert scores["AgP"] == scores["gR[50]"] == scores["iP[1.00]"] == 1.0


def judgements(*, entry_paths=False):
    builder = JudgementsBuilder("1", "fol", "test")
    for name, length, start, size in (("a", 100, 10, 20), ("b", 1000, 600, 40)):
        path = f"/{name}[1]/p[2]" if entry_paths else None
        builder.document(
            name, name, length=length, highlighted=size, entry_point=-1 if entry_paths else start, entry_path=path
        )
        builder.passage(start, size)
    builder.document("c", "c", length=50, highlighted=0)
    return builder.build()


def spans(*results):
    names, starts, lengths = zip(*results, strict=True)
    return Ranking.ranked("1", names, starts=starts, lengths=lengths)


def test_an_article_with_relevance_counts_though_its_score_is_zero():
    # a: none of 10..30 returned; b whole passage. gP = 0, 1/2; both have relevance: AgP = (0 + 1/2) / 2
    scores = ric(spans(("a", 50, 10), ("b", 600, 40)), judgements())

    assert (scores["AgP"], scores["gR[2]"]) == (0.25, 1.0)


def test_results_of_an_article_that_comes_back_are_refused_or_united():
    ranking = spans(("a", 10, 10), ("c", 0, 5), ("a", 20, 10))

    with pytest.raises(MeasureError, match="document 'a' appears again after others"):
        ric(ranking, judgements())
    assert ric(ranking, judgements(), overlapping="union")["gP[1]"] == 1.0


def test_distance_from_the_best_entry_point():
    # a: |60 - 10| = 50 of 500 -> 0.9; c not relevant; b: 600 - 0 > 500 -> 0, still relevant
    scores = bic(spans(("a", 60, 0), ("c", 0, 0), ("b", 0, 0)), judgements())

    assert scores["gP[1]"] == pytest.approx(0.9)
    assert scores["AgP"] == pytest.approx((0.9 + 0.9 / 3) / 2)
    assert bic(spans(("b", 0, 0)), judgements(), n=1000)["gP[1]"] == pytest.approx(0.4)


def test_returning_every_best_entry_point_scores_one():
    assert bic(spans(("b", 600, -1), ("a", 10, -1)), judgements())["AgP"] == 1.0


def test_entry_points_given_as_paths_are_looked_up_in_the_index():
    documents = FlatDocuments({n: f"<{n}><p>{'x' * 10}</p><p>yy</p></{n}>" for n in "ab"})
    ranking = Ranking.ranked("1", ["a"], ["/a[1]/p[1]"], starts=[0], lengths=[10])

    with pytest.raises(MeasureError, match="best entry points are paths, their offsets are not known: needs index="):
        bic(ranking, judgements(entry_paths=True))
    assert bic(ranking, judgements(entry_paths=True), documents, n=100)["gP[1]"] == pytest.approx(0.9)


def test_a_result_placed_nowhere_scores_zero_whatever_the_distance_allowed():
    assert bic(spans(("a", -1, -1)), judgements(), n=10**6)["gP[1]"] == 0.0


def test_options_out_of_range_are_errors():
    ranking = spans(("a", 0, 1))
    with pytest.raises(MeasureError, match="t2i=0: expected a number of non-relevant characters"):
        ric(ranking, judgements(), t2i=0)
    with pytest.raises(MeasureError, match="beta=-1: expected the weight"):
        ric(ranking, judgements(), beta=-1.0)
    with pytest.raises(MeasureError, match="n=0: expected a distance"):
        bic(ranking, judgements(), n=0)


def test_the_tolerance_needs_the_length_of_documents():
    builder = JudgementsBuilder("1", "2005", "test")
    builder.document("a", "a")
    builder.passage(2, 4)

    with pytest.raises(MeasureError, match="judgements give no length of 'a': needs index="):
        ric(spans(("a", 0, 2)), builder.build(), t2i=3)


def test_nothing_relevant_has_no_value_and_nothing_returned_scores_zero():
    builder = JudgementsBuilder("1", "fol", "test")
    builder.document("c", "c", length=50, highlighted=0)
    empty = Ranking.ranked("1", [])

    for family in (ric, bic):
        assert set(family(empty, builder.build()).values()) == {None}
        assert family(empty, judgements())["AgP"] == family(empty, judgements())["gP[1]"] == 0.0
