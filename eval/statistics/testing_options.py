"""The testing of differences between runs: test, correction for multiple comparisons, level, resampling."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from engine.errors import MeasureError
from engine.notices import Notice
from engine.wording import shown
from eval.numbers import FloatArray
from eval.statistics.significance_tests import STANDARD, TESTS, Resampling, SignificanceResult, TestName, significance

Correction: TypeAlias = Literal["none", "bonferroni", "holm", "by"]


def bonferroni(p: FloatArray) -> FloatArray:
    """Return m p, at most 1 (Bonferroni): controls the family-wise error rate over m comparisons."""
    return np.minimum(p * len(p), 1.0)


def holm(p: FloatArray) -> FloatArray:
    """Return Holm's step-down values: the i-th smallest p times m - i + 1, non-decreasing.

    Source: Holm, Scandinavian Journal of Statistics 1979.
    """
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(steps, 1.0)
    return corrected


def benjamini_yekutieli(p: FloatArray) -> FloatArray:
    """Return Benjamini-Yekutieli values, which control the false discovery rate under any dependence.

    All hypotheses up to the largest i with p(i) <= level i / (m sum 1/j) are rejected. Source: Benjamini & Yekutieli,
    Annals of Statistics 2001; Ogilvie & Lalmas, CIKM 2006, 3.2.
    """
    from scipy.stats import false_discovery_control  # noqa: PLC0415 - slow to import

    corrected: FloatArray = false_discovery_control(p, method="by")
    return corrected


CORRECTIONS: Mapping[Correction, Callable[[FloatArray], FloatArray]] = {
    "none": lambda p: p,
    "bonferroni": bonferroni,
    "holm": holm,
    "by": benjamini_yekutieli,
}


def adjusted_p_values(p_values: Sequence[float | None], correction: Correction = "none") -> tuple[float | None, ...]:
    """Return corrected p-values in the given order; None stays None and does not count as a comparison."""
    if correction not in CORRECTIONS:
        raise MeasureError(
            f"there is no correction {shown(correction)}; choose one of: {', '.join(get_args(Correction))}."
        )
    known = np.array([p for p in p_values if p is not None], dtype=np.float64)
    corrected = iter(CORRECTIONS[correction](known).tolist() if len(known) else [])
    return tuple(None if p is None else next(corrected) for p in p_values)


# Significance level: a difference is significant if its corrected p-value is below.
SIGNIFICANCE_LEVEL = 0.05

# Topics below which a test says little, whatever its p-value.
FEWEST_TOPICS = 5
ONE_TAILED = frozenset({"bootstrap"})

TEST_TITLES = {
    "t": "paired t test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "sign": "sign test",
    "bootstrap": "bootstrap test, one-tailed",
    "randomisation": "randomisation test",
}
CORRECTION_TITLES = {
    "none": "no correction",
    "bonferroni": "Bonferroni correction",
    "holm": "Holm correction",
    "by": "Benjamini-Yekutieli correction",
}


@dataclass(frozen=True)
class SignificanceTesting:
    """A test, a correction for multiple comparisons, a significance level and the samples of resampling tests.

    Raises: MeasureError for an unknown test or correction, a level outside (0, 1), and fewer than one sample.
    """

    test: TestName = "t"
    correction: Correction = "none"
    level: float = SIGNIFICANCE_LEVEL
    resampling: Resampling = STANDARD

    def __post_init__(self) -> None:
        if self.test not in TESTS:
            raise MeasureError(f"there is no test {self.test!r}; choose one of: {', '.join(get_args(TestName))}.")
        if self.correction not in CORRECTIONS:
            raise MeasureError(
                f"there is no correction {self.correction!r}; choose one of: {', '.join(get_args(Correction))}."
            )
        if not 0 < self.level < 1:
            raise MeasureError(f"level={self.level:g}: expected a number between 0 and 1, e.g. 0.05.")
        if self.resampling.resamples < 1:
            raise MeasureError(f"resamples={self.resampling.resamples}: expected 1 or more.")

    def __str__(self) -> str:
        return f"{TEST_TITLES[self.test]}, {CORRECTION_TITLES[self.correction]}"

    @property
    def caveats(self) -> tuple[str, ...]:
        """Notes for a table of one-tailed tests, whose direction is that of the data; () for two-tailed tests."""
        if self.test not in ONE_TAILED:
            return ()
        doubled = min(1.0, 2 * self.level)
        return (f"the data choose the better run, so the level is doubled: {doubled:g} two-tailed",)

    def result(self, differences: FloatArray) -> SignificanceResult:
        """Return the result of the test on differences by topic, float64, shape (n_topics,)."""
        return significance(differences, self.test, self.resampling)

    def is_significant(self, p: float | None) -> bool:
        """Return whether a p-value is below the level; an undefined one is not."""
        return p is not None and p < self.level


def few_topics_notices(n_topics: Sequence[int]) -> tuple[Notice, ...]:
    """Return a notice on comparisons over fewer than FEWEST_TOPICS topics, of which each has a number; () if none."""
    few = [n for n in n_topics if n < FEWEST_TOPICS]
    if not few:
        return ()
    fields = {"few": len(few), "comparisons": len(n_topics), "enough": FEWEST_TOPICS, "fewest": min(few)}
    return (Notice("few_topics", fields, "doubt"),)


DEFAULT_TESTING = SignificanceTesting()
