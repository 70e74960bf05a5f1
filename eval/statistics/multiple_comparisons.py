"""Corrections for multiple comparisons: adjusted p-values to be compared with the significance level."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np

from engine.errors import MeasureError
from engine.wording import shown
from eval.arrays import FloatArray

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
