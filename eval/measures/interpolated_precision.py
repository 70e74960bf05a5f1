"""Interpolated precision: the highest precision at or beyond each level of recall.

Its averages over levels (AiP) and over topics (MAiP) are in `eval.measures.focused`.
"""

from __future__ import annotations

import numpy as np

from eval.arrays import FloatArray, IntArray
from eval.tolerance import TOLERANCE


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
