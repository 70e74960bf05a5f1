"""Precision, recall, F and ratios of counts, 0 where the denominator is 0."""

from __future__ import annotations

import numpy as np

from eval.arrays import FloatArray, IntArray


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
