"""Precision, recall, F and ratios of counts, 0 where the denominator is 0; interpolated precision.

The average of interpolated precision over levels (AiP) is in `eval.measures.focused`; its mean over topics is MAiP.
"""

from __future__ import annotations

import numpy as np

from eval.numbers import TOLERANCE, FloatArray, IntArray


def ratio(parts: FloatArray | IntArray, wholes: IntArray) -> FloatArray:
    """Return parts / wholes, shape as given; 0 where a whole is 0."""
    return np.divide(parts, wholes, out=np.zeros(len(wholes)), where=wholes > 0)


def harmonic_mean(precision: float, recall: float) -> float:
    """Return F = 2PR / (P + R), 0 where P + R = 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def precision_recall_f1(hits: int, returned: int, relevant: int) -> tuple[float, float, float]:
    """Return precision, recall and their harmonic mean; precision is 0 if nothing is returned."""
    precision, recall = hits / returned if returned else 0.0, hits / relevant
    return precision, recall, harmonic_mean(precision, recall)


def interpolated_precision(precision: FloatArray, levels: IntArray, n_levels: int) -> FloatArray:
    """Return iP[x] = max of P@r over the ranks r with R@r >= x, for x = 0, 1/n, ... 1 with n = ``n_levels``.

    Args:
        precision: P@r at each rank, shape (n_ranks,).
        levels: the highest level that each rank reaches, as from :func:`recall_levels`, shape (n_ranks,); negative
            for a rank that reaches none.

    Returns: shape (n_levels + 1,); 0 for levels that no rank reaches.
    """
    best = np.zeros(n_levels + 1)
    reaches_any = levels >= 0
    np.maximum.at(best, np.minimum(levels[reaches_any], n_levels), precision[reaches_any])
    interpolated: FloatArray = np.maximum.accumulate(best[::-1])[::-1]
    return interpolated


def recall_levels(found: IntArray | FloatArray, relevant: float, n_levels: int) -> IntArray:
    """Return for each rank the highest k with found/relevant >= k/n_levels, int64, shape as given.

    Exact for counts (integer arithmetic); sums of fractions are compared with a relative tolerance.
    """
    if np.issubdtype(found.dtype, np.integer):
        return (n_levels * found // int(relevant)).astype(np.int64)
    return np.floor(n_levels * (found / relevant) * (1 + TOLERANCE)).astype(np.int64)
