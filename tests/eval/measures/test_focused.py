from __future__ import annotations

import gzip
import json
import math
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.errors import MeasureError
from engine.runs import Ranking
from eval.judgements.formats.judgements_builder import JudgementsBuilder
from eval.measures.focused import focused, thorough
from eval.measures.span import span
from tests.reference.focused import interpolated_precision
from tests.reference.hixeval import characters
from tests.reference.random_topics import Topic, doubled, topics
from tests.trust.soak import effort


def score(topic, results=None, *, family=focused, **options):
    topic = topic if results is None else replace(topic, results=results)
    return family(topic.ranking(offsets=True), topic.judgements(elements=False), **options)


@settings(max_examples=effort(6, 1500, thorough=150))
@given(topics(), st.booleans())
def test_curves_equal_those_of_character_sets(topic, once):
    assume(topic.relevant)
    curve, precision, recall = interpolated_precision(topic.places, topic.relevant, once=once)

    found = score(topic, overlapping="union") if once else score(topic, family=thorough)

    assert [found[f"iP[{x / 100:.2f}]"] for x in range(101)] == pytest.approx([float(p) for p in curve], abs=1e-12)
    assert found["AiP"] == pytest.approx(float(sum(curve)) / 101)
    assert (found["char_prec"], found["char_rec"]) == pytest.approx((float(precision), float(recall)))
    assert found["rel_size"] == len(topic.relevant)
    names = {name for name, _ in topic.results}
    assert found["num_ret"] == len(names)
    assert found["num_rel_ret"] == sum(any(topic.highlights[name]) for name in names)


@settings(max_examples=effort(6, 1500, thorough=150))
@given(topics())
def test_overlap_is_refused_where_two_results_share_a_character_and_only_there(topic):
    assume(topic.relevant)
    texts = [characters(*place) for place in topic.places]

    if any(one & two for one, two in combinations(texts, 2)):
        with pytest.raises(MeasureError, match=r"overlaps that of rank \d+ in document"):
            score(topic)
    else:
        assert score(topic) == score(topic, overlapping="union") == score(topic, family=thorough)


@settings(max_examples=effort(5, 1000, thorough=100))
@given(topics(), st.data())
def test_a_duplicate_changes_nothing_where_characters_count_once(topic, data):
    assume(topic.relevant)
    twice = doubled(topic, data)

    assert score(topic, twice, overlapping="union") == score(topic, overlapping="union")


@settings(max_examples=effort(5, 1000, thorough=100))
@given(topics())
def test_floating_recall_points_never_lie_above_the_exact_ones(topic):
    assume(topic.relevant)
    legacy, exact = score(topic, overlapping="union", legacy_float=True), score(topic, overlapping="union")

    assert all(legacy[name] <= value for name, value in exact.items())


@settings(max_examples=effort(6, 1250, thorough=50))
@given(topics())
def test_returning_the_passages_themselves_scores_one(topic):
    assume(topic.relevant)
    spans = [(name, start, end) for name, marks in topic.highlights.items() for start, end in marks]
    names, starts, ends = zip(*spans, strict=True)
    ranking = Ranking.ranked("1", names, starts=starts, lengths=np.subtract(ends, starts))

    scores = focused(ranking, topic.judgements(elements=False))

    assert {v for name, v in scores.items() if "num" not in name and "size" not in name} == {1.0}


def judgements():
    builder = JudgementsBuilder("1", "fol", "test")
    builder.document("a", "test:1", length=100, highlighted=20)
    builder.passage(10, 20)
    builder.document("b", "test:2", length=50, highlighted=0)
    return builder.build()


def spans(*results):
    names, starts, lengths = zip(*results, strict=True)
    return Ranking.ranked("1", names, starts=starts, lengths=lengths)


def test_a_result_placed_nowhere_holds_its_article_and_no_text():
    scores = focused(spans(("a", 10, 20), ("b", -1, -1)), judgements())
    legacy = focused(spans(("a", 10, 20), ("b", -1, -1)), judgements(), legacy_float=True)

    assert (scores["char_prec"], scores["art_prec"], scores["ret_size"]) == (1.0, 0.5, 20)
    assert (legacy["char_prec"], legacy["ret_size"]) == (20 / 38, 38)


def test_text_returned_again_counts_in_full_in_thorough_only():
    ranking = spans(("a", 10, 20), ("a", 10, 20), ("b", 0, 20))

    assert thorough(ranking, judgements())["char_prec"] == 40 / 60
    assert thorough(ranking, judgements())["char_rec"] == 2.0
    assert focused(ranking, judgements(), overlapping="union")["char_prec"] == 20 / 40


def test_touching_results_do_not_overlap():
    assert focused(spans(("a", 10, 10), ("a", 20, 10)), judgements())["AiP"] == 1.0


def test_offsets_beyond_any_document_are_no_text_of_another_one():
    scores = focused(spans(("b", 2**41 + 10, 20), ("a", 2**62, 2**62)), judgements())

    assert scores["char_rec"] == 0.0


def test_an_empty_ranking_scores_zero_and_a_topic_without_relevance_nothing():
    builder = JudgementsBuilder("1", "fol", "test")
    builder.document("b", "test:1", length=50, highlighted=0)

    scores = focused(Ranking.ranked("1", []), judgements())

    assert {scores[name] for name in ("AiP", "iP[0.00]", "char_f1", "art_f1", "num_ret")} == {0.0}
    assert set(focused(Ranking.ranked("1", []), builder.build()).values()) == {None}


# Recall, precision and IoU of returned text: as chunking_evaluation computes them, and as sets of characters.


GOLDEN = Path(__file__).parents[2] / "golden" / "chunking_evaluation.json.gz"


def test_values_are_those_of_chunking_evaluation():
    questions = json.loads(gzip.decompress(GOLDEN.read_bytes()))["questions"]
    assert len(questions) == 158
    for document, references, chunks, expected in questions:
        builder = JudgementsBuilder("1", "fol", "golden")
        builder.document(document, document)
        for start, end in references:
            builder.passage(start, end - start)
        names, starts, ends = zip(*chunks, strict=True)
        lengths = [end - start for start, end in zip(starts, ends, strict=True)]
        ranking = Ranking.ranked("1", list(names), starts=list(starts), lengths=lengths)

        found = span(ranking, builder.build(), at=(1, 3, 5), budgets=())

        for rank, values in zip((1, 3, 5), expected, strict=True):
            assert [found[f"{name}@{rank}"] for name in ("R", "P", "IoU")] == pytest.approx(values, abs=1e-12)


@given(topics(), st.integers(1, 4), st.integers(1, 40), st.booleans())
def test_values_are_those_of_sets_of_characters(topic: Topic, rank: int, budget: int, offsets: bool):
    ranking, judgements = topic.ranking(offsets=offsets), topic.judgements()
    found = span(ranking, judgements, topic.documents, at=(rank,), budgets=(budget,))
    if not topic.relevant:
        assert set(found.values()) == {None}
        return
    places = topic.places
    within = next(n for n in range(len(places), -1, -1) if sum(end - start for _, start, end in places[:n]) <= budget)
    for n, form in ((rank, f"{{}}@{rank}"), (within, f"{{}}[{budget}]")):
        gained = {c for place in places[:n] for c in characters(*place)} & topic.relevant
        text = sum(end - start for _, start, end in places[:n])
        missing = len(topic.relevant) - len(gained)
        assert found[form.format("R")] == pytest.approx(len(gained) / len(topic.relevant))
        assert found[form.format("P")] == pytest.approx(len(gained) / text if text else 0)
        assert found[form.format("IoU")] == pytest.approx(len(gained) / (text + missing))


def test_a_size_that_is_unknown_leaves_recall():
    builder = JudgementsBuilder("1", "2005", "unsized")
    builder.document("d", "d")
    builder.element("/a[1]/p[1]", 1, 1.0, 10, 10)
    builder.element("/a[1]/p[2]", 1, 1.0, 10, 10)
    builder.passage(0, 20)
    ranking = Ranking.ranked("1", ["d", "d", "d"], ["/a[1]/p[1]", "/a[1]/x[1]", "/a[1]/p[2]"])

    found = span(ranking, builder.build(), at=(1, 3), budgets=(5, 10, 15))

    assert (found["R@1"], found["P@1"], found["IoU@1"]) == (0.5, 1.0, 0.5)
    assert found["R@3"] == 1.0
    assert math.isnan(found["P@3"])
    assert math.isnan(found["IoU@3"])
    assert found["R[5]"] == found["P[5]"] == found["IoU[5]"] == 0.0
    assert math.isnan(found["R[10]"])
    assert math.isnan(found["R[15]"])
