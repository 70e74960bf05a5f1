from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import MeasureError
from engine.runs import Ranking
from eval.judgements.formats.judgements_builder import JudgementsBuilder
from eval.measures.inex_eval import WeakOrdering, inex_eval, precall
from tests.reference import inex_eval as reference
from tests.trust.soak import effort

GOLDEN = json.loads((Path(__file__).parents[2] / "golden/precall.json").read_text())
CASES = [(case, key) for case in GOLDEN if not case.startswith("_") for key in GOLDEN[case] if key != "input"]
ESL = {"reprec": "raghavan"}


def columns(ranks):
    gains = np.array([float(value) for rank in ranks for value in rank])
    rsv = np.array([-float(number) for number, rank in enumerate(ranks) for _ in rank])
    return gains, rsv


@pytest.mark.parametrize(("case", "key"), CASES)
def test_golden_curves(case, key):
    given_ranks, esl, nonrel = GOLDEN[case]["input"], *key.replace("nonrel=", "").split(",")
    gains, rsv = columns([[Fraction(value) for value in rank] for rank in given_ranks["ranks"]])
    n = float(Fraction(given_ranks["n"]))
    ranks = WeakOrdering.of(gains, rsv, nonrel)
    if "unretrieved" in given_ranks:  # relevant ones and others, all worth 0 or 1
        relevant, others = given_ranks["unretrieved"]
        ranks = ranks.with_rest(n, int(n), len(gains) + relevant + others, nonrel)

    found = precall(ranks, n, ESL.get(esl, esl))

    points = [point or 0.0 for point in GOLDEN[case][key]["at_100_points"]]  # a point never reached is null there
    assert found.tolist() == pytest.approx(points, abs=1e-12)


values = st.sampled_from([Fraction(0), Fraction(0), Fraction(1, 10), Fraction(1, 4), Fraction(1, 2), Fraction(1)])


@settings(max_examples=effort(8, 2000, thorough=200))
@given(
    st.lists(st.lists(values, min_size=1, max_size=4), max_size=6),
    st.lists(values, max_size=4),
    st.sampled_from(["cooper", "raghavan", "thesis"]),
    st.sampled_from(["zero", "complement"]),
    st.one_of(st.none(), st.integers(0, 50)),
)
def test_curves_equal_those_of_fractions(ranks, missing, esl, nonrel, more):
    n = sum((value for rank in ranks for value in rank), Fraction(0)) + sum(missing, Fraction(0))
    if not n:
        return
    n_relevant = sum(value > 0 for rank in [*ranks, missing] for value in rank)
    n_missing = sum(value > 0 for value in missing)
    fast = WeakOrdering.of(*columns(ranks), nonrel)
    if more is not None:
        fast = fast.with_rest(float(n), n_relevant, fast.n_results + n_missing + more, nonrel)
    rest = None if more is None else (sum(missing, Fraction(0)), n_missing, n_missing + more)

    truth = reference.precall(ranks, n, esl, nonrel, rest)

    assert precall(fast, float(n), esl).tolist() == pytest.approx([float(point) for point in truth], abs=1e-9)


def judgements():
    builder = JudgementsBuilder("1", "2003", "test")
    builder.document("d", "test:1")
    builder.element("/a[1]", 3, 1.0, -1, -1)  # gen 0.75
    builder.element("/a[1]/s[1]", 3, 3.0, -1, -1)  # gen 1, strict 1
    builder.element("/a[1]/s[2]", 1, 1.0, -1, -1)  # gen 0.25
    return builder.build()


def ranking(*paths, rsv=None):
    return Ranking.ranked("1", ["d"] * len(paths), list(paths), rsv=rsv)


def test_an_ideal_run_scores_one():
    scores = inex_eval(ranking("/a[1]/s[1]", "/a[1]", "/a[1]/s[2]"), judgements(), quant="gen")

    assert scores["AP"] == 1.0
    assert scores["P[1.00]"] == 1.0


def test_one_result_before_the_only_relevant_one_halves_precision():
    scores = inex_eval(ranking("/a[1]", "/a[1]/s[1]"), judgements())

    # esl = 1: x / (x + 1) at x = 0.5 and 1
    assert scores["P[0.50]"] == pytest.approx(1 / 3)
    assert scores["P[1.00]"] == pytest.approx(1 / 2)


def test_equal_rsv_form_one_rank_whatever_the_order():
    first = inex_eval(ranking("/a[1]", "/a[1]/s[1]", rsv=[1.0, 1.0]), judgements())
    second = inex_eval(ranking("/a[1]/s[1]", "/a[1]", rsv=[1.0, 1.0]), judgements())

    # j = 0, i = 1, r = 1: esl = x / 2, precision 1 / 1.5 everywhere
    assert first == second
    assert first["AP"] == pytest.approx(2 / 3)


def test_a_duplicate_is_worth_nothing():
    once = inex_eval(ranking("/a[1]", "/a[1]/s[1]"), judgements(), quant="gen")
    twice = inex_eval(ranking("/a[1]", "/a[1]", "/a[1]/s[1]"), judgements(), quant="gen")

    assert twice["AP"] < once["AP"]
    assert all(twice[name] <= once[name] for name in once)


def test_the_rest_of_the_collection_is_the_last_rank():
    scores = inex_eval(ranking("/a[1]"), judgements(), collection_size=10)

    # 9 not retrieved, 1 of them relevant: esl = 1 + 1 * 8 / 2 = 5
    assert scores["P[1.00]"] == pytest.approx(1 / 6)


def test_a_collection_smaller_than_what_is_known_of_it_is_an_error():
    with pytest.raises(MeasureError, match="collection_size=1 is less than"):
        inex_eval(ranking("/a[1]"), judgements(), collection_size=1)


def test_no_relevance_under_the_quantisation_has_no_value():
    builder = JudgementsBuilder("1", "2003", "test")
    builder.document("d", "test:1")
    builder.element("/a[1]", 3, 1.0, -1, -1)

    assert set(inex_eval(ranking("/a[1]"), builder.build(), quant="strict").values()) == {None}


def test_results_by_offset_are_an_error():
    with pytest.raises(MeasureError, match="is a passage of text; inex_eval scores whole elements"):
        inex_eval(Ranking.ranked("1", ["d"], starts=[0], lengths=[5]), judgements())
