from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import MeasureError
from eval.statistics.mean_estimate import ConfidenceInterval, mean_interval
from eval.statistics.measure_correlation import Spearman, kendall, spearman
from eval.statistics.significance_tests import (
    Resampling,
    bootstrap,
    paired_t,
    randomisation,
    sign,
    significance,
    wilcoxon,
)
from eval.statistics.testing_options import adjusted_p_values
from tests.trust.soak import effort

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "stats.json").read_text())
D = np.array(GOLDEN["A"]) - np.array(GOLDEN["B"])
HUNDREDTHS = st.lists(st.integers(-20, 20).map(lambda n: n / 100), min_size=1, max_size=9).map(np.array)


def test_paired_t_equals_the_golden_value():
    found = paired_t(D)

    assert (found.statistic, found.p) == pytest.approx(
        (GOLDEN["t"]["t"], GOLDEN["t"]["p_two_sided_scipy_1_17"]), abs=1e-12
    )
    assert found.details == {"df": 9}


def test_sign_test_leaves_out_equal_topics():
    found = sign(D)

    assert (found.n, found.details["positive"], found.p) == (9, 7, GOLDEN["sign"]["p_two_sided"])


def test_wilcoxon_keeps_ties_that_floats_would_break_and_is_exact():
    found = wilcoxon(D)

    assert (found.n, found.details) == (9, {"w_plus": 39.5, "w_minus": 5.5})
    assert found.p == GOLDEN["wilcoxon"]["p_two_sided_exact"]


def test_randomisation_of_few_topics_is_exact():
    assert randomisation(D).p == GOLDEN["randomisation"]["p_two_sided_exact"]


def test_bootstrap_is_one_tailed_and_repeatable():
    # the mean of D is 0.056, its standard error about 0.0213: P(Z <= -2.6) = 0.004
    assert bootstrap(D).p == bootstrap(D).p == pytest.approx(0.004, abs=0.004)
    assert bootstrap(-D).p > 0.99
    assert bootstrap(D, Resampling(seed=1)).p != bootstrap(D, Resampling(seed=2)).p


def test_randomisation_of_many_topics_draws_signs_and_comes_near_the_t_test():
    differences = np.random.default_rng(0).normal(0.05, 0.2, size=60)

    assert randomisation(differences).p == pytest.approx(paired_t(differences).p, abs=0.01)


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "bootstrap", "randomisation"])
def test_equal_runs_never_differ(test):
    assert significance(np.zeros(5), test).p == 1.0


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "bootstrap", "randomisation"])
def test_no_topic_in_common_says_nothing(test):
    assert significance(np.array([]), test).p is None


def test_t_of_one_topic_says_nothing_and_of_equal_differences_all():
    assert paired_t(np.array([0.3])).p is None
    assert paired_t(np.array([0.3 - 0.1, 0.4 - 0.2, 0.2])).p == 0.0


def test_unknown_tests_and_no_samples_are_refused():
    with pytest.raises(MeasureError, match="no test 'u'; choose one of: t, wilcoxon"):
        significance(D, "u")
    with pytest.raises(MeasureError, match="resamples=0"):
        significance(D, "bootstrap", Resampling(resamples=0))


@settings(max_examples=effort(6, 1500, thorough=60), deadline=None)
@given(HUNDREDTHS)
def test_exact_tests_equal_going_through_all_signs(differences):
    hundredths = np.rint(differences * 100).astype(int)
    signs = np.array(list(product((1, -1), repeat=len(hundredths))))
    assert randomisation(differences).p == np.mean(np.abs(signs @ hundredths) >= abs(hundredths.sum()))

    moved = hundredths[hundredths != 0]
    ranks = scipy.stats.rankdata(np.abs(moved))
    sums = np.array([ranks[np.array(row) > 0].sum() for row in product((1, -1), repeat=len(moved))])
    smaller = min(ranks[moved > 0].sum(), ranks[moved < 0].sum())
    assert wilcoxon(differences).p == pytest.approx(min(1.0, 2 * np.mean(sums <= smaller)), abs=1e-12)


@settings(max_examples=effort(6, 1500, thorough=60), deadline=None)
@given(st.lists(st.integers(1, 1000), min_size=3, max_size=30, unique=True), st.randoms(use_true_random=False))
def test_wilcoxon_without_ties_equals_scipy(sizes, random):
    differences = np.array([size / 1000 * random.choice((1, -1)) for size in sizes])

    assert wilcoxon(differences).p == pytest.approx(scipy.stats.wilcoxon(differences, method="exact").pvalue, abs=1e-12)


P = [0.01, 0.04, 0.03, 0.005]


def test_bonferroni_multiplies_by_the_number_of_comparisons():
    assert adjusted_p_values([0.01, 0.4], "bonferroni") == pytest.approx((0.02, 0.8))
    assert adjusted_p_values([0.6, 0.4], "bonferroni") == pytest.approx((1.0, 0.8))


def test_holm_steps_down_and_never_falls():
    # sorted .005*4 = .02, .01*3 = .03, .03*2 = .06, .04*1 = .04 -> .06
    assert adjusted_p_values(P, "holm") == pytest.approx((0.03, 0.06, 0.06, 0.02))


def test_benjamini_yekutieli_pays_for_dependence():
    # m = 4, sum 1/j = 25/12; sorted p m c / i: .005 * 25/3 = .041667, .01 * 25/6 = .041667, .03 * 25/9 = .083333,
    # .04 * 25/12 = .083333; from the largest down each takes the smallest so far
    assert adjusted_p_values(P, "by") == pytest.approx((1 / 24, 1 / 12, 1 / 12, 1 / 24))


def test_what_was_not_tested_is_no_comparison():
    assert adjusted_p_values([0.01, None, 0.4], "bonferroni") == pytest.approx((0.02, None, 0.8))
    assert adjusted_p_values([None], "by") == (None,)
    assert adjusted_p_values([], "holm") == ()


def test_unknown_correction_is_refused():
    with pytest.raises(MeasureError, match="no correction 'bh'; choose one of: none, bonferroni, holm, by"):
        adjusted_p_values(P, "bh")


def test_of_two_topics_by_hand():
    # samples of 0 and 1: mean 0 in 1/4, 1/2 in 1/2, 1 in 1/4 of them
    values = np.array([0.0, 1.0])

    assert mean_interval(values, 0.95) == ConfidenceInterval(0.5, 0.0, 1.0)
    assert mean_interval(values, 0.40) == ConfidenceInterval(0.5, 0.5, 0.5)


def test_equal_values_leave_no_doubt():
    assert mean_interval(np.full(7, 0.25)) == ConfidenceInterval(0.25, 0.25, 0.25)


@pytest.mark.long
def test_of_many_topics_it_is_that_of_the_normal_distribution():
    values = np.random.default_rng(1).normal(3, 2, 400)
    error = values.std() / np.sqrt(400)

    found = mean_interval(values)

    assert found.mean == pytest.approx(values.mean())
    assert (found.low, found.high) == pytest.approx((found.mean - 1.96 * error, found.mean + 1.96 * error), abs=0.02)


def test_a_seed_fixes_it():
    values = np.random.default_rng(1).random(30)

    assert mean_interval(values, 0.9, Resampling(200, 1)) == mean_interval(values, 0.9, Resampling(200, 1))
    assert mean_interval(values, 0.9, Resampling(200, 1)) != mean_interval(values, 0.9, Resampling(200, 2))


@pytest.mark.parametrize(("values", "level"), [([], 0.95), ([1.0], 0.0), ([1.0], 1.0)])
def test_nonsense_is_refused(values, level):
    with pytest.raises(MeasureError):
        mean_interval(np.array(values), level)


GROUPS = GOLDEN["ogilvie_two_groups"]


@pytest.mark.parametrize("case", [GOLDEN["correlation"], GROUPS, GROUPS["ten_per_group"]])
def test_correlations_equal_the_golden_values(case):
    assert spearman(case["x"], case["y"]).rho == pytest.approx(case["spearman"], abs=1e-12)
    found = kendall(case["x"], case["y"])
    assert {name: getattr(found, name) for name in case["kendall"]} == pytest.approx(case["kendall"], abs=1e-12)


def test_tau_b_and_its_p_equal_scipy_with_ties():
    case = GOLDEN["correlation"]
    theirs, ours = scipy.stats.kendalltau(case["x"], case["y"]), kendall(case["x"], case["y"])
    assert (ours.tau_b, ours.p) == pytest.approx((theirs.statistic, theirs.pvalue), abs=1e-12)


def test_one_run_or_equal_scores_have_no_correlation():
    assert spearman([0.1], [0.2]) == spearman([0.1, 0.1, 0.1], [1, 2, 3]) == Spearman(None, None)
    assert (kendall([0.1, 0.1], [1, 2]).tau_a, kendall([0.1, 0.1], [1, 2]).tau_b) == (0.0, None)
    assert kendall([0.1], [0.2]).tau_a is None


def test_two_runs_agree_or_disagree():
    assert (spearman([1, 2], [3, 4]).rho, spearman([1, 2], [4, 3]).rho) == (1.0, -1.0)
    assert kendall([1, 2], [4, 3]).tau_b == -1.0


def test_lists_of_different_lengths_are_a_mistake():
    with pytest.raises(ValueError, match="1 values beside 2"):
        kendall([1], [1, 2])
