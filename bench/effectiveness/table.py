"""Means over topics with bootstrap intervals, and paired bootstrap tests against one peer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from bench.effectiveness.measures import Values
from eval.statistics.significance_tests import Resampling, bootstrap

RESAMPLES = 10_000


@dataclass(frozen=True)
class Estimate:
    """A mean over topics, its 95 % interval over resampled topics, and how it compares with the baseline.

    p: share of the samples where the difference of means has the other sign, doubled (two-tailed), at most 1.
    """

    mean: float
    low: float
    high: float
    ratio: float | None
    p: float | None


def estimate(values: Values, baseline: Values | None, seed: int) -> Estimate:
    """Return the estimate of a row; without baseline, or for it, there is no comparison."""
    low, high = np.percentile(samples(len(values), seed) @ values, [2.5, 97.5])
    mean = float(values.mean())
    if baseline is None:
        return Estimate(mean, float(low), float(high), None, None)
    resampling = Resampling(RESAMPLES, seed)
    tails = (bootstrap(sign * (values - baseline), resampling).p for sign in (1, -1))
    p = min(1.0, 2 * min(tail for tail in tails if tail is not None))
    return Estimate(mean, float(low), float(high), mean / float(baseline.mean()) if baseline.any() else None, p)


@lru_cache(maxsize=8)
def samples(n: int, seed: int) -> Values:
    """Return the share of each topic in each sample, with replacement, shape (RESAMPLES, n)."""
    return np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), RESAMPLES) / n


def note(found: Estimate, *, with_mean: bool = False) -> str:
    """Return an estimate in one cell: its mean if asked for, its interval, ratio and p-value."""
    interval = f"{found.low:.4f}–{found.high:.4f}"
    if with_mean:
        interval = f"{found.mean:.4f} ({interval})"
    if found.ratio is None:
        return interval
    return f"{interval}, ×{found.ratio:.2f}, {shown_p(found.p)}"


def shown_p(p: float | None) -> str:
    """Return a p-value as tables show it."""
    if p is None:
        return ""
    return f"{p:.3f}" if p >= 0.001 else "<.001"
