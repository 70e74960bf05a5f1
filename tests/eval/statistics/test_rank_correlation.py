from __future__ import annotations

import json
from pathlib import Path

import pytest
import scipy.stats

from eval.statistics.measure_correlation import Spearman, kendall, spearman

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "stats.json").read_text())
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
