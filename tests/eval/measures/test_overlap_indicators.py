from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings

from engine.errors import MeasureError
from engine.runs import Ranking
from eval.judgements.formats.judgements_builder import JudgementsBuilder
from eval.measures.overlap_indicators import overlap, overlap_indicators
from tests.reference.random_topics import topics
from tests.reference.xcg import above
from tests.trust.soak import effort

GOLDEN = json.loads((Path(__file__).parents[2] / "golden/overlap.json").read_text())
SET_1500 = [("d", "/article[1]"), *(("d", f"/article[1]/p[{n}]") for n in range(1, 1500))]


def judgements():
    builder = JudgementsBuilder("1", "2005", "test")
    builder.document("d", "d")
    builder.element("/a[1]", 2, 1.0, 10, 10)
    return builder.build()


@pytest.mark.parametrize("name", GOLDEN["sets"])
def test_table_b1_of_the_thesis(name):
    places = SET_1500 if name == "Set 1500" else [tuple(place) for place in GOLDEN["sets"][name]]

    found = overlap_indicators(places)

    assert found == pytest.approx({letter: GOLDEN[name]["exact"][letter] for letter in "OADP"}, abs=1e-9)
    assert [round(found[letter], 2) for letter in "OADP"] == GOLDEN[name]["printed"]


@pytest.mark.parametrize("name", GOLDEN["edge"])
def test_small_sets(name):
    case = GOLDEN["edge"][name]

    found = overlap_indicators(tuple(place) for place in case["set"])

    assert found == pytest.approx({letter: case["exact"][letter] for letter in "OADP"}, abs=1e-9)


@settings(max_examples=effort(6, 1500, thorough=150))
@given(topics())
def test_indicators_equal_those_of_every_pair(topic):
    places = set(topic.results)
    if not places:
        assert set(overlap(topic.ranking(), judgements()).values()) == {None}
        return
    pairs = [(one, two) for one in places for two in places if one in above(two)]
    ancestors, descendants = {one for one, _ in pairs}, {two for _, two in pairs}
    n_pairs = len(list(combinations(places, 2)))
    parts = {"O": ancestors | descendants, "A": ancestors, "D": descendants}

    found = overlap(topic.ranking(), judgements())

    assert found["P"] == pytest.approx(100 * len(pairs) / n_pairs if n_pairs else 0)
    for letter, part in parts.items():
        assert found[letter] == pytest.approx(100 * len(part) / len(places))


def test_a_whole_document_contains_the_elements_of_a_document_that_was_not_judged():
    ranking = Ranking.ranked("1", ["z", "z"], [None, "/book[1]/p[2]"])

    assert overlap(ranking, judgements())["O"] == 100.0


def test_results_by_offset_are_an_error():
    with pytest.raises(MeasureError, match="is a passage of text; overlap scores whole elements"):
        overlap(Ranking.ranked("1", ["d"], starts=[0], lengths=[5]), judgements())
