"""The twelve rows of Table A.9 on three small documents, worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.index.reader import IndexReader
from engine.ranking.expressions.expression_scores import score_elements
from engine.similarity.named_expressions import named_expression
from engine.similarity.term_frequencies import pairs_in
from tests.engine.small_index import index_of
from tests.trust.soak import effort

# N_D = 3, |C| = 8, lengths 4, 3, 1, mean 8/3; N_P = 4; N_E = 7, of which a 3 and b 4; the query is: sea tide
# sea: F 2, N_D,t 1, N_P,t 1, N_E,t 2 (a 1, b 1); tide: F 2, N_D,t 2, N_P,t 2, N_E,t 4 (a 2, b 2); lamp: N_E,t 6
DOCUMENTS = {
    "1": "<a><b>sea sea tide</b><b>lamp</b></a>",
    "2": "<a><b>tide lamp lamp</b></a>",
    "3": "<a><b>lamp</b></a>",
}
A1, B1, A2, B2 = "1/a", "1/a/b1", "2/a", "2/a/b1"


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    return index_of(tmp_path_factory.mktemp("index"), DOCUMENTS)


def scores(index: IndexReader, name: str, **parameters: float | str) -> dict[str, float]:
    found = score_elements(index, named_expression(name), {"sea": 1, "tide": 1}, np.arange(3), parameters=parameters)
    names = {0: A1, 1: B1, 2: "1/a/b2", 3: A2, 4: B2}
    return {names[row]: score for row, score in zip(found.rows.tolist(), found.scores.tolist(), strict=True)}


def near(expected: dict[str, float]) -> object:
    return pytest.approx(expected, abs=2e-6)


def test_pivoted_cosine(index):
    # 1: (ln 4 (1 + ln 2) + ln 2.5) / (0.8 + 0.2 * 4/2.666667) = (2.347200 + 0.916291) / 1.1
    # 2: ln 2.5 / (0.8 + 0.2 * 3/2.666667) = 0.916291 / 1.025
    assert scores(index, "pivoted-cosine") == near({A1: 2.966810, A2: 0.893942})


def test_s_term(index):
    # b of 1: ln(1 + 4/1) * 2/2 + ln(1 + 4/2) * 1/2; b of 2: ln(1 + 4/2) * 1/2
    # a of 1: ln(1 + 3/1) * 2/2 + ln(1 + 3/2) * 1/2; a of 2: ln(1 + 3/2) * 1/2
    assert scores(index, "s-term") == near({A1: 1.844440, B1: 2.158744, A2: 0.458145, B2: 0.549306})


def test_fragments(index):
    # b of 1: (ln 5 (1 + ln 2) + ln 3) / (2 * 2) = (2.725015 + 1.098612) / 4; a of 1: 3.263491 / (2 * 3)
    # a of 2: ln 2.5 / (2 * 2); b of 2: ln 3 / (2 * 2)
    assert scores(index, "fragments") == near({A1: 0.543915, B1: 0.955907, A2: 0.229073, B2: 0.274653})


def test_extended(index):
    # mean |T_e| = (3 + 2 + 1 + 2 + 2 + 1 + 1)/7 = 12/7; b of 1: mean f 3/2, so
    # (1.693147 + 1)/1.405465 / (0.8 + 0.2 * 2 * 7/12) = 1.916196 / 1.033333
    # a of 1: mean f 4/3: (1.693147 + 1)/1.287682 / (0.8 + 0.2 * 3 * 7/12) = 2.091470 / 1.15
    # of 2: 1/1.405465 / 1.033333
    assert scores(index, "extended") == near({A1: 1.818669, B1: 1.854383, A2: 0.688556, B2: 0.688556})


def test_okapi_bm25(index):
    # w: ln(2.5/1.5) = 0.510826 and ln(1.5/2.5) = -0.510826; 1: K = 1.2 (0.25 + 0.75 * 1.5) = 1.65:
    # 0.510826 (2.2 * 2/3.65 - 2.2/2.65); 2: K = 1.2 (0.25 + 0.75 * 1.125) = 1.3125: -0.510826 * 2.2/2.3125
    assert scores(index, "okapi-bm25") == near({A1: 0.191708, A2: -0.485975})


def test_structural_roles(index):
    # b: ln(3/1) = 1.098612 and ln(2/2) = 0; a: ln(2/1) = 0.693147 and ln(1/2) = -0.693147, times 1 and 1/2
    assert scores(index, "structural-roles") == near({A1: 0.346574, B1: 1.098612, A2: -0.346574, B2: 0})


def test_dirichlet_smoothing(index):
    # mu 2: 1: 2 ln(2/6) + ln(3 * 2/2 + 1) + ln(1.5 * 1/2 + 1) = -2.197225 + 1.386294 + 0.559616
    # 2: 2 ln(2/5) + ln(1.75) = -1.832581 + 0.559616
    assert scores(index, "dirichlet-smoothing", mu=2) == near({A1: -0.251315, A2: -1.272965})


def test_multinomial(index):
    # sum of N_E,t: 2 + 4 + 6 = 12, w = 6 and 3; lambda 1/2
    # b of 1: ln 3 + ln(6 * 2/3 + 1) + ln(3 * 1/3 + 1) = 1.098612 + 1.609438 + 0.693147
    # a of 1: ln 4 + ln(6 * 2/4 + 1) + ln(3 * 1/4 + 1) = 1.386294 + 1.386294 + 0.559616
    # of 2: ln 3 + ln(3 * 1/3 + 1)
    expected = {A1: 3.332205, B1: 3.401197, A2: 1.791759, B2: 1.791759}
    assert scores(index, "multinomial", **{"lambda": 0.5}) == near(expected)


def test_native_xml(index):
    assert scores(index, "native-xml") == {B1: 1.0, B2: 1.0}
    assert scores(index, "native-xml", boolean="and") == {B1: 1.0, B2: 0.0}


def test_gpx(index):
    # b of 1: 5 (2/2 + 1/2); b of 2: 1/2; a of 1 has two text nodes, 0.99; a of 2 one, 0.49
    assert scores(index, "gpx") == near({A1: 7.425, B1: 7.5, A2: 0.245, B2: 0.5})


def test_xfirm(index):
    # b of 1: ln 5 (1 + ln 2) + ln 3 = 3.823627; b of 2: ln 3; one arc up: 0.6
    assert scores(index, "xfirm") == near({A1: 2.294176, B1: 3.823627, A2: 0.659167, B2: 1.098612})


def test_result_fusion(index):
    # documents, and a: 1: (1.386294 * 1.693147 + 0.916291)/1.287682 / (2 * 3) = 0.422399
    #                   2: 0.916291/1.405465 / (2 * 2) = 0.162987, which is 0.385860 of the best
    # b: 1: (1.609438 * 1.693147 + 1.098612)/1.405465 / (2 * 2) = 0.680136
    #    2: 1.098612/1.405465 / (2 * 2) = 0.195418, which is 0.287322 of the best
    expected = {A1: 1.0, B1: 1.0, A2: 0.385860, B2: (0.385860 + 0.287322) / 2}
    assert scores(index, "result-fusion") == near(expected)
    assert scores(index, "result-fusion", pivot=0)[B2] == pytest.approx(0.287322, abs=2e-6)


# Frequencies in intervals are what counting one leaf at a time gives, however many terms share a number.


terms = st.lists(st.dictionaries(st.integers(0, 40), st.sampled_from([1, 1, 2, 255, 2**20, 2**31, 2**56])), max_size=9)
intervals = st.lists(st.tuples(st.integers(0, 41), st.integers(0, 41)), max_size=20)


@settings(max_examples=effort(10, 3000, thorough=300), deadline=None)
@given(terms, intervals)
def test_frequencies_are_sums_over_the_leaves_inside(
    terms: Sequence[dict[int, int]], intervals: Sequence[tuple[int, int]]
) -> None:
    intervals = sorted(intervals)
    rows = np.array([row for row, _ in intervals], np.int64)
    ends = np.array([row + extent for row, extent in intervals], np.int64)
    columns = [
        (np.array(sorted(leaves), np.int64), np.array([leaves[leaf] for leaf in sorted(leaves)], np.int64))
        for leaves in terms
    ]
    expected = [
        (term, unit, tf)
        for term, leaves in enumerate(terms)
        for unit, (row, extent) in enumerate(intervals)
        if (tf := sum(tf for leaf, tf in leaves.items() if row <= leaf < row + extent))
    ]

    found = pairs_in(columns, rows, ends)

    pairs = list(zip(*(column.tolist() for column in found), strict=True))
    assert sorted(pairs) == expected
    for number in range(len(intervals)):
        of_unit = [term for term, unit, _ in pairs if unit == number]
        assert of_unit == sorted(of_unit)
