"""Recall, precision and IoU of returned text: as chunking_evaluation computes them, and as sets of characters."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.runs import Ranking
from eval.judgements.formats.judgements_builder import JudgementsBuilder
from eval.measures.span import span
from tests.reference.hixeval import characters
from tests.reference.random_topics import Topic, topics

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
