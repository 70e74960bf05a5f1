"""Means over topics with bootstrap intervals, and paired bootstrap tests against one peer, as text."""

from __future__ import annotations

from bench.effectiveness.measures import Values
from eval.statistics import mean_estimate
from eval.statistics.mean_estimate import Estimate
from eval.statistics.significance_tests import RESAMPLES, Resampling, topic_samples


def estimate(values: Values, baseline: Values | None, seed: int) -> Estimate:
    """Return the estimate of a row; without baseline, or for it, there is no comparison."""
    return mean_estimate.estimate(values, baseline, Resampling(RESAMPLES, seed))


def samples(n: int, seed: int) -> Values:
    """Return the share of each topic in each sample, with replacement, shape (RESAMPLES, n)."""
    return topic_samples(n, RESAMPLES, seed) / n


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
