"""A mean over topics with its confidence interval, and how it compares with that of a baseline."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.errors import MeasureError
from eval.numbers import FloatArray
from eval.statistics.significance_tests import STANDARD, Resampling, bootstrap, topic_samples


@dataclass(frozen=True)
class ConfidenceInterval:
    """A mean and its confidence interval."""

    mean: float
    low: float
    high: float


def mean_interval(values: FloatArray, level: float = 0.95, resampling: Resampling = STANDARD) -> ConfidenceInterval:
    """Return the mean of values by topic and its bootstrap percentile interval.

    Topics are resampled with replacement; (1 - level) / 2 of the resampled means are outside at either end.
    Source: Efron & Tibshirani, An Introduction to the Bootstrap, 1993, 13.3.

    Args:
        values: float64, shape (n_topics,).

    Raises: MeasureError without a topic, and for a level that is not between 0 and 1.
    """
    if not 0 < level < 1:
        raise MeasureError(f"level={level:g}: expected a number between 0 and 1, e.g. 0.95.")
    if not len(values):
        raise MeasureError("no topic has a value: there is no mean.")
    drawn = topic_samples(len(values), resampling.resamples, resampling.seed) @ values / len(values)
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return ConfidenceInterval(float(np.mean(values)), low, high)


@dataclass(frozen=True)
class Estimate:
    """A mean over topics, its 95 % interval over resampled topics, and how it compares with the baseline.

    ratio: the mean over that of the baseline; None without a baseline, or where its mean is 0. p: of the paired
    bootstrap test, the share of the samples where the difference of means has the other sign, doubled (two-tailed), at
    most 1.
    """

    mean: float
    low: float
    high: float
    ratio: float | None
    p: float | None


def estimate(values: FloatArray, baseline: FloatArray | None = None, resampling: Resampling = STANDARD) -> Estimate:
    """Return the estimate of the values of a run by topic; without a baseline there is no comparison.

    Args:
        values, baseline: float64, shape (n_topics,), the same topics in the same order.

    Raises: MeasureError without a topic.
    """
    interval = mean_interval(values, resampling=resampling)
    if baseline is None:
        return Estimate(interval.mean, interval.low, interval.high, None, None)
    tails = (bootstrap(sign * (values - baseline), resampling).p for sign in (1, -1))
    p = min(1.0, 2 * min(tail for tail in tails if tail is not None))
    ratio = interval.mean / float(baseline.mean()) if baseline.any() else None
    return Estimate(interval.mean, interval.low, interval.high, ratio, p)
