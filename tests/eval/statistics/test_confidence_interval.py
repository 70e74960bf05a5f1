from __future__ import annotations

import numpy as np
import pytest

from engine.errors import MeasureError
from eval.statistics.mean_estimate import ConfidenceInterval, mean_interval
from eval.statistics.significance_tests import Resampling


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
