"""Rank correlation of two measures over the same runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Kendall:
    """Kendall's rank correlation: concordant and discordant pairs, and both treatments of ties.

    tau-a = (concordant - discordant) / all pairs; tau-b divides by sqrt of (pairs not tied in x)(pairs not tied in y).
    None where there is no such pair.
    """

    concordant: int
    discordant: int
    tau_a: float | None
    tau_b: float | None
    p: float | None


@dataclass(frozen=True)
class Spearman:
    """Spearman's rank correlation with mean ranks for ties; None if all values of one list are equal."""

    rho: float | None
    p: float | None


def spearman(x: Sequence[float], y: Sequence[float]) -> Spearman:
    """Return Spearman's rank correlation of two lists of equal length, with its two-sided p-value (t, n - 2)."""
    _check(x, y)
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Spearman(None, None)
    from scipy.stats import rankdata, spearmanr  # noqa: PLC0415 - slow to import

    if len(x) == 2:  # two runs always lie on a line: nothing to test
        return Spearman(float(np.sign((x[1] - x[0]) * (y[1] - y[0]))), None)
    found = spearmanr(rankdata(x), rankdata(y))
    return Spearman(float(found.statistic), float(found.pvalue))


def kendall(x: Sequence[float], y: Sequence[float]) -> Kendall:
    """Return Kendall's rank correlation of two lists of equal length, with the two-sided p-value of tau-b."""
    _check(x, y)
    n = len(x)
    first, second = np.triu_indices(n, 1)
    dx, dy = (
        np.sign(np.subtract(*np.asarray(x)[[first, second]])),
        np.sign(np.subtract(*np.asarray(y)[[first, second]])),
    )
    concordant, discordant = int((dx * dy > 0).sum()), int((dx * dy < 0).sum())
    if not len(first):
        return Kendall(0, 0, None, None, None)
    tau_a = (concordant - discordant) / len(first)
    untied = int((dx != 0).sum()) * int((dy != 0).sum())
    if not untied:
        return Kendall(concordant, discordant, tau_a, None, None)
    from scipy.stats import kendalltau  # noqa: PLC0415 - slow to import

    found = kendalltau(x, y)
    return Kendall(
        concordant, discordant, tau_a, (concordant - discordant) / float(np.sqrt(untied)), float(found.pvalue)
    )


def _check(x: Sequence[float], y: Sequence[float]) -> None:
    if len(x) != len(y):
        raise ValueError(f"{len(x)} values beside {len(y)}")
