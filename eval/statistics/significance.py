"""Tests whether two runs really differ, on the differences of their scores over the same topics.

All take differences a - b, float64, shape (n_topics,), and are two-tailed but for the bootstrap. Except in the t test
differences are rounded to 10 decimals first: 0.42 - 0.40 and 0.07 - 0.05 are the same difference, and a difference of
1e-17 is none.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, TypeAlias, get_args

import numpy as np

from engine.errors import MeasureError
from eval.geometry import FloatArray

Test: TypeAlias = Literal["t", "wilcoxon", "sign", "bootstrap", "randomisation"]

DECIMALS = 10
RESAMPLES = 10_000
SEED = 2007
MOST_EXACT = 16
"""Randomisation goes through all 2^n signs up to this number of differences that are not 0, beyond it draws some."""


@dataclass(frozen=True)
class Outcome:
    """What a test says: the statistic and its p-value, over n differences; None where the test says nothing.

    ``details`` holds what the statistic is made of: ``w_plus`` and ``w_minus``, ``positive`` and ``negative``, ``df``.
    """

    test: Test
    n: int
    statistic: float | None
    p: float | None
    details: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Resampling:
    """How many samples bootstrap and randomisation draw, and from which seed."""

    resamples: int = RESAMPLES
    seed: int = SEED


STANDARD = Resampling()


def paired_t(differences: FloatArray) -> Outcome:
    """Return Student's paired t test, n - 1 degrees of freedom.

    Fewer than two differences decide nothing; if all are equal, p is 1 where they are 0 and 0 otherwise.
    """
    n = len(differences)
    if n < 2:
        return Outcome("t", n, None, None)
    details = {"df": float(n - 1)}
    if not np.ptp(np.round(differences, DECIMALS)):
        return Outcome("t", n, None, float(not _moved(differences).size), details)
    from scipy.stats import ttest_1samp  # noqa: PLC0415 - slow to import

    found = ttest_1samp(differences, 0.0)
    return Outcome("t", n, float(found.statistic), float(found.pvalue), details)


def wilcoxon(differences: FloatArray) -> Outcome:
    """Return Wilcoxon's signed rank test; the statistic is the smaller of W+ and W-.

    Differences of 0 are left out, equal ones share their mean rank. p is exact, ties or not: the distribution of W+
    over all 2^n signs, by adding one rank after the other. (Libraries give an approximation where there are ties.)
    """
    moved = _moved(differences)
    n = len(moved)
    if not n:
        return Outcome("wilcoxon", 0, None, 1.0 if len(differences) else None)
    from scipy.stats import rankdata  # noqa: PLC0415 - slow to import

    doubled = np.rint(2 * rankdata(np.abs(moved))).astype(np.int64)  # mean ranks are halves
    plus = int(doubled[moved > 0].sum())
    minus = int(doubled.sum()) - plus
    p = min(1.0, 2 * float(_signed_rank_distribution(doubled)[: min(plus, minus) + 1].sum()))
    return Outcome("wilcoxon", n, min(plus, minus) / 2, p, {"w_plus": plus / 2, "w_minus": minus / 2})


def sign(differences: FloatArray) -> Outcome:
    """Return the sign test: how probable so uneven signs are of a fair coin; differences of 0 are left out."""
    moved = _moved(differences)
    positive = int((moved > 0).sum())
    details = {"positive": float(positive), "negative": float(len(moved) - positive)}
    if not len(moved):
        return Outcome("sign", 0, None, 1.0 if len(differences) else None, details)
    from scipy.stats import binomtest  # noqa: PLC0415 - slow to import

    return Outcome("sign", len(moved), float(positive), float(binomtest(positive, len(moved)).pvalue), details)


def bootstrap(differences: FloatArray, resampling: Resampling = STANDARD) -> Outcome:
    """Return the bootstrap, one-tailed: p is the share of samples of the topics where the mean difference is <= 0.

    Its alternative is that a is better than b. Source: Ogilvie & Lalmas, CIKM 2006, 3.3 (10,000 samples).
    """
    n = len(differences)
    if not n:
        return Outcome("bootstrap", 0, None, None)
    sums = topic_samples(n, resampling.resamples, resampling.seed) @ np.round(differences, DECIMALS)
    not_better = np.round(sums, DECIMALS - 1) <= 0
    return Outcome("bootstrap", n, float(np.mean(differences)), float(np.mean(not_better)))


def randomisation(differences: FloatArray, resampling: Resampling = STANDARD) -> Outcome:
    """Return Fisher's randomisation test: how often random signs give a mean difference as far from 0.

    All signs up to 16 differences that are not 0, then p is exact; beyond, p = (1 + as far) / (1 + samples).
    """
    n = len(differences)
    if not n:
        return Outcome("randomisation", 0, None, None)
    moved = _moved(differences)
    observed = abs(round(float(moved.sum()), DECIMALS - 1))
    if len(moved) <= MOST_EXACT:
        sums = np.zeros(1)
        for difference in moved.tolist():
            sums = np.concatenate((sums + difference, sums - difference))
        p = float(np.mean(np.abs(np.round(sums, DECIMALS - 1)) >= observed))
    else:
        sums = _sign_samples(len(moved), resampling.resamples, resampling.seed) @ moved
        as_far = int((np.abs(np.round(sums, DECIMALS - 1)) >= observed).sum())
        p = (1 + as_far) / (1 + resampling.resamples)
    return Outcome("randomisation", n, float(np.mean(differences)), p)


TESTS: Mapping[Test, Callable[[FloatArray, Resampling], Outcome]] = {
    "t": lambda differences, _: paired_t(differences),
    "wilcoxon": lambda differences, _: wilcoxon(differences),
    "sign": lambda differences, _: sign(differences),
    "bootstrap": bootstrap,
    "randomisation": randomisation,
}


def significance(differences: FloatArray, test: Test = "t", resampling: Resampling = STANDARD) -> Outcome:
    """Return what a test says of the differences; MeasureError for an unknown test or no samples."""
    if test not in TESTS:
        raise MeasureError(f"there is no test {test!r}; choose one of: {', '.join(get_args(Test))}.")
    if resampling.resamples < 1:
        raise MeasureError(f"resamples={resampling.resamples}: expected 1 or more.")
    return TESTS[test](np.asarray(differences, dtype=np.float64), resampling)


def _moved(differences: FloatArray) -> FloatArray:
    """Return the rounded differences that are not 0."""
    rounded = np.round(differences, DECIMALS)
    moved: FloatArray = rounded[rounded != 0]
    return moved


def _signed_rank_distribution(doubled: np.typing.NDArray[np.int64]) -> FloatArray:
    """Return how probable each sum of (doubled) positive ranks is when every sign is a fair coin."""
    chances = np.zeros(int(doubled.sum()) + 1)
    chances[0] = 1.0
    for rank in doubled.tolist():
        chances[rank:] = (chances[rank:] + chances[:-rank]) / 2  # the sign is plus: the sum grows by this rank
        chances[:rank] /= 2
    return chances


@lru_cache(maxsize=4)
def topic_samples(n: int, resamples: int, seed: int) -> FloatArray:
    """Return how often each topic is in each sample, with replacement, shape (resamples, n)."""
    drawn = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=resamples)
    return drawn.astype(np.float64)


@lru_cache(maxsize=4)
def _sign_samples(n: int, resamples: int, seed: int) -> FloatArray:
    """Return random signs, shape (resamples, n)."""
    signs: FloatArray = np.random.default_rng(seed).integers(0, 2, size=(resamples, n)).astype(np.float64) * 2 - 1
    return signs
