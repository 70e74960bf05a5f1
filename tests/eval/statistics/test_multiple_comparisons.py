from __future__ import annotations

import pytest

from engine.errors import MeasureError
from eval.statistics.testing_options import adjusted_p_values

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
