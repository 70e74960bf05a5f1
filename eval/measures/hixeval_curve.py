"""The formulas of HiXEval along one ranking.

Source: Pehcevski, thesis, 5.1.2. Equation numbers are those of the thesis.
"""

from dataclasses import dataclass
from typing import Literal, Self, TypeAlias

import numpy as np

from eval.geometry import BoolArray, FloatArray, IntArray
from eval.relevance import Returned, require_repeated

Precision: TypeAlias = Literal["elements", "text"]
SeenText: TypeAlias = Literal["union", "literal"]

RECALL_POINTS = 11

ROUNDING = 1e-12
"""Relative slack when a recall is compared with a point: a fractional alpha leaves sums inexact."""


def relevance_values(rsizes: IntArray, seen: IntArray, alpha: float) -> FloatArray:
    """Return rval of each result: its highlighted characters less alpha times those seen before.

    rval(e) = rsize(e) if not yet seen; rsize(e) - alpha rsize(e) if fully seen; rsize(e) - alpha sum rsize(e') over
    what was seen of it if partly seen. The three are one formula, with 0, rsize(e) or part of it seen.
    """
    return rsizes - alpha * seen.astype(np.float64)


def ratio(parts: FloatArray | IntArray, wholes: IntArray) -> FloatArray:
    """Return parts / wholes, 0 where there is no whole."""
    return np.divide(parts, wholes, out=np.zeros(len(wholes)), where=wholes > 0)


def harmonic_mean(precision: float, recall: float) -> float:
    """Return F = 2PR / (P + R) (5.4), 0 where P + R = 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@dataclass(frozen=True, eq=False)
class Curve:
    """Precision and recall at each rank, columns of shape (n_results,), against ``relevant`` characters.

    ``has_relevant`` tells which results hold highlighted text, redundant or not; ``text`` is the characters returned
    so far. Beyond the last result the precision of elements is divided by the rank, everything else stays.
    """

    precision: FloatArray
    recall: FloatArray
    has_relevant: BoolArray
    text: IntArray
    relevant: int
    kind: Precision

    @classmethod
    def of(cls, found: Returned, relevant: int, alpha: float, kind: Precision, seen: SeenText) -> Self:
        """Return the curve of what was returned. P@r is 5.2 (``elements``) or 5.1 (``text``), R@r 5.3."""
        before = found.seen if seen == "union" else require_repeated(found)
        gained = np.cumsum(found.rsizes) - alpha * np.cumsum(before)
        text = np.cumsum(found.sizes)
        if kind == "text":
            precision = ratio(gained, text)
        else:
            shares = ratio(relevance_values(found.rsizes, before, alpha), found.sizes)
            precision = np.cumsum(shares) / np.arange(1, len(shares) + 1)
        recall = gained / relevant if relevant else np.zeros(len(gained))
        return cls(precision, recall, found.rsizes > 0, text, relevant, kind)

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
        """Return AP (5.5): mean precision at the results with highlighted text, times the recall of the whole list."""
        if not self.has_relevant.any():
            return 0.0
        return float(self.precision[self.has_relevant].mean() * self.recall[-1])

    def interpolated_ap(self) -> float:
        """Return iAP: the mean of the best precision at or beyond each of 11 recall points."""
        return float(self.interpolated().mean())

    def interpolated(self) -> FloatArray:
        """Return the best P@r with R@r >= x for x = 0, 0.1 ... 1; 0 where recall never gets there."""
        points = np.arange(RECALL_POINTS) / (RECALL_POINTS - 1)
        reached = self.recall >= points[:, None] * (1 - ROUNDING)
        best: FloatArray = np.max(np.where(reached, self.precision, 0.0), axis=1, initial=0.0)
        return best

    def r_precision(self) -> float:
        """Return RP (5.6): P@n, n the first rank where the returned text is as long as the relevant text.

        If the text never gets there, what is missing counts as text that is not relevant.
        """
        n = len(self.text)
        if not n:
            return 0.0
        rank = int(np.searchsorted(self.text, self.relevant))
        if rank < n:
            return float(self.precision[rank])
        return float(self.precision[-1] * self.text[-1] / self.relevant)
