"""Confidence interval of a mean over topics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.errors import MeasureError
from eval.arrays import FloatArray
from eval.statistics.significance_tests import STANDARD, Resampling, topic_samples


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
