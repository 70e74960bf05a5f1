"""Precision and recall of HiXEval along a ranking.

Source: Pehcevski, thesis, 5.1.2. Equation numbers are those of the thesis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Self, TypeAlias

import numpy as np

from eval.arrays import BoolArray, FloatArray, IntArray
from eval.measures.interpolated_precision import interpolated_precision, recall_levels
from eval.measures.precision_recall import ratio
from eval.text.result_relevance import ResultRelevance, require_repeated

Precision: TypeAlias = Literal["elements", "text"]
SeenCounting: TypeAlias = Literal["union", "literal"]

LEVELS = 10


def relevance_values(rsizes: IntArray, seen: IntArray, alpha: float) -> FloatArray:
    """Return rval of each result: its highlighted characters minus alpha times those returned before.

    rval(e) = rsize(e) if not yet seen; rsize(e) - alpha rsize(e) if fully seen; rsize(e) - alpha sum rsize(e') over
    the returned descendants if partly seen: one formula, with 0, rsize(e) or part of it seen.
    """
    return rsizes - alpha * seen.astype(np.float64)


@dataclass(frozen=True, eq=False)
class HixevalCurve:
    """Precision and recall at each rank, float64, shape (n_results,), for ``relevant`` highlighted characters.

    ``has_relevant``: which results contain highlighted text, redundant or not; ``text``: characters returned up to the
    rank. Beyond the last result, precision over elements is divided by the rank; all other values stay constant.
    ``n_sized``: results before the first of unknown size. What depends on the sizes of later ones is NaN.
    """

    precision: FloatArray
    recall: FloatArray
    has_relevant: BoolArray
    text: IntArray
    relevant: int
    kind: Precision
    n_sized: int

    @classmethod
    def of(cls, found: ResultRelevance, relevant: int, alpha: float, kind: Precision, seen: SeenCounting) -> Self:
        """Return the curve of a ranking. P@r is equation 5.2 (``elements``) or 5.1 (``text``), R@r equation 5.3."""
        n_sized = len(found.is_sized) if found.is_sized.all() else int(np.argmin(found.is_sized))
        before = found.seen if seen == "union" else require_repeated(found)
        gained = np.cumsum(found.rsizes) - alpha * np.cumsum(before)
        text = np.cumsum(found.sizes)
        if kind == "text":
            precision = ratio(gained, text)
            precision[n_sized:] = np.nan
        else:
            shares = ratio(relevance_values(found.rsizes, before, alpha), found.sizes)
            precision = np.cumsum(shares) / np.arange(1, len(shares) + 1)
        recall = gained / relevant if relevant else np.zeros(len(gained))
        return cls(precision, recall, found.rsizes > 0, text, relevant, kind, n_sized)

    def precision_at(self, rank: int) -> float:
        """Return P@r."""
        n = len(self.precision)
        if rank <= n:
            return float(self.precision[rank - 1])
        if not n:
            return 0.0
        return float(self.precision[-1] * n / rank) if self.kind == "elements" else float(self.precision[-1])

    def recall_at(self, rank: int) -> float:
        """Return R@r."""
        return float(self.recall[min(rank, len(self.recall)) - 1]) if len(self.recall) else 0.0

    def average_precision(self) -> float:
        """Return AP (5.5): mean precision at the results with highlighted text, times recall at the last result."""
        if not self.has_relevant.any():
            return 0.0
        return float(self.precision[self.has_relevant].mean() * self.recall[-1])

    def interpolated_ap(self) -> float:
        """Return iAP: the mean of interpolated precision at 11 levels of recall."""
        if np.isnan(self.precision).any():
            return math.nan
        return float(self.interpolated().mean())

    def interpolated(self) -> FloatArray:
        """Return interpolated precision at recall 0, 0.1 ... 1, shape (11,)."""
        return interpolated_precision(self.precision, recall_levels(self.recall, 1.0, LEVELS), LEVELS)

    def r_precision(self) -> float:
        """Return RP (5.6): P@n, n the first rank where the returned text is as long as the relevant text.

        If the ranking returns less text, the missing characters count as not relevant.
        """
        n = len(self.text)
        if not n:
            return 0.0
        rank = int(np.searchsorted(self.text, self.relevant))
        if self.n_sized < min(rank + 1, n):
            return math.nan
        if rank < n:
            return float(self.precision[rank])
        return float(self.precision[-1] * self.text[-1] / self.relevant)
