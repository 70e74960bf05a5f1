"""A mean over topics with its interval, and how it compares with that of a baseline."""

from __future__ import annotations

from dataclasses import dataclass

from eval.arrays import FloatArray
from eval.statistics.confidence_interval import mean_interval
from eval.statistics.significance_tests import STANDARD, Resampling, bootstrap


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
