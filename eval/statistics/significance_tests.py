"""Significance tests on the differences of the scores of two runs over the same topics.

All take differences a - b, float64, shape (n_topics,), and are two-tailed except the bootstrap. Except for the t test,
differences are first rounded to 10 decimals, so that 0.42 - 0.40 equals 0.07 - 0.05 and 1e-17 equals 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, TypeAlias, get_args

import numpy as np

from engine.errors import MeasureError
from eval.numbers import FloatArray

TestName: TypeAlias = Literal["t", "wilcoxon", "sign", "bootstrap", "randomisation"]

DECIMALS = 10
RESAMPLES = 10_000
SEED = 2007
# Number of non-zero differences up to which the randomisation test enumerates all 2^n signs; it samples beyond.
MOST_EXACT = 16


@dataclass(frozen=True)
class SignificanceResult:
    """Statistic and p-value of a test over n differences; None where the test is not defined.

    ``details`` are the components of the statistic: ``w_plus`` and ``w_minus``, ``positive`` and ``negative``, ``df``.
    """

    test: TestName
    n: int
    statistic: float | None
    p: float | None
    details: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Resampling:
    """Number of samples of bootstrap and randomisation, and the seed of the random numbers."""

    resamples: int = RESAMPLES
    seed: int = SEED


STANDARD = Resampling()


def paired_t(differences: FloatArray) -> SignificanceResult:
    """Return Student's paired t test, n - 1 degrees of freedom.

    Not defined for fewer than two differences; if all are equal, p is 1 if they are 0, else 0.
    """
    n = len(differences)
    if n < 2:
        return SignificanceResult("t", n, None, None)
    details = {"df": float(n - 1)}
    if not np.ptp(np.round(differences, DECIMALS)):
        return SignificanceResult("t", n, None, float(not _moved(differences).size), details)
    from scipy.stats import ttest_1samp  # noqa: PLC0415 - slow to import

    found = ttest_1samp(differences, 0.0)
    return SignificanceResult("t", n, float(found.statistic), float(found.pvalue), details)


def wilcoxon(differences: FloatArray) -> SignificanceResult:
    """Return Wilcoxon's signed-rank test; the statistic is the smaller of W+ and W-.

    Differences of 0 are dropped, equal ones get their mean rank. p is exact also for ties, from the distribution of W+
    over all 2^n signs, computed rank by rank. (Libraries approximate it if there are ties.)
    """
    moved = _moved(differences)
    n = len(moved)
    if not n:
        return SignificanceResult("wilcoxon", 0, None, 1.0 if len(differences) else None)
    from scipy.stats import rankdata  # noqa: PLC0415 - slow to import

    doubled = np.rint(2 * rankdata(np.abs(moved))).astype(np.int64)  # mean ranks are halves
    plus = int(doubled[moved > 0].sum())
    minus = int(doubled.sum()) - plus
    p = min(1.0, 2 * float(_signed_rank_distribution(doubled)[: min(plus, minus) + 1].sum()))
    return SignificanceResult("wilcoxon", n, min(plus, minus) / 2, p, {"w_plus": plus / 2, "w_minus": minus / 2})


def sign(differences: FloatArray) -> SignificanceResult:
    """Return the sign test: the binomial test of the signs with p = 1/2; differences of 0 are dropped."""
    moved = _moved(differences)
    positive = int((moved > 0).sum())
    details = {"positive": float(positive), "negative": float(len(moved) - positive)}
    if not len(moved):
        return SignificanceResult("sign", 0, None, 1.0 if len(differences) else None, details)
    from scipy.stats import binomtest  # noqa: PLC0415 - slow to import

    return SignificanceResult(
        "sign", len(moved), float(positive), float(binomtest(positive, len(moved)).pvalue), details
    )


def bootstrap(differences: FloatArray, resampling: Resampling = STANDARD) -> SignificanceResult:
    """Return the one-tailed bootstrap test: p is the share of topic samples with a mean difference <= 0.

    The alternative hypothesis is that a is better than b. Source: Ogilvie & Lalmas, CIKM 2006, 3.3 (10,000 samples).
    """
    n = len(differences)
    if not n:
        return SignificanceResult("bootstrap", 0, None, None)
    sums = topic_samples(n, resampling.resamples, resampling.seed) @ np.round(differences, DECIMALS)
    not_better = np.round(sums, DECIMALS - 1) <= 0
    return SignificanceResult("bootstrap", n, float(np.mean(differences)), float(np.mean(not_better)))


def randomisation(differences: FloatArray, resampling: Resampling = STANDARD) -> SignificanceResult:
    """Return Fisher's randomisation test: how often random signs give an absolute mean difference at least as large.

    Exact (all signs) for up to 16 non-zero differences; beyond, p = (1 + at least as large) / (1 + samples).
    """
    n = len(differences)
    if not n:
        return SignificanceResult("randomisation", 0, None, None)
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
    return SignificanceResult("randomisation", n, float(np.mean(differences)), p)


TESTS: Mapping[TestName, Callable[[FloatArray, Resampling], SignificanceResult]] = {
    "t": lambda differences, _: paired_t(differences),
    "wilcoxon": lambda differences, _: wilcoxon(differences),
    "sign": lambda differences, _: sign(differences),
    "bootstrap": bootstrap,
    "randomisation": randomisation,
}


def significance(
    differences: FloatArray, test: TestName = "t", resampling: Resampling = STANDARD
) -> SignificanceResult:
    """Return the result of a test on differences; MeasureError for an unknown test or fewer than one sample."""
    if test not in TESTS:
        raise MeasureError(f"there is no test {test!r}; choose one of: {', '.join(get_args(TestName))}.")
    if resampling.resamples < 1:
        raise MeasureError(f"resamples={resampling.resamples}: expected 1 or more.")
    return TESTS[test](np.asarray(differences, dtype=np.float64), resampling)


def _moved(differences: FloatArray) -> FloatArray:
    """Return the non-zero differences, rounded."""
    rounded = np.round(differences, DECIMALS)
    moved: FloatArray = rounded[rounded != 0]
    return moved


def _signed_rank_distribution(doubled: np.typing.NDArray[np.int64]) -> FloatArray:
    """Return the probability of each sum of (doubled) positive ranks under random signs."""
    chances = np.zeros(int(doubled.sum()) + 1)
    chances[0] = 1.0
    for rank in doubled.tolist():
        chances[rank:] = (chances[rank:] + chances[:-rank]) / 2  # the sign is plus: the sum grows by this rank
        chances[:rank] /= 2
    return chances


@lru_cache(maxsize=4)
def topic_samples(n: int, resamples: int, seed: int) -> FloatArray:
    """Return the frequency of each topic in each bootstrap sample, float64, shape (resamples, n)."""
    drawn = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=resamples)
    return drawn.astype(np.float64)


@lru_cache(maxsize=4)
def _sign_samples(n: int, resamples: int, seed: int) -> FloatArray:
    """Return random signs, shape (resamples, n)."""
    signs: FloatArray = np.random.default_rng(seed).integers(0, 2, size=(resamples, n)).astype(np.float64) * 2 - 1
    return signs
