"""Generalised precision and recall over a ranked list of articles, each with a score from 0 to 1.

Source: Kamps, Lalmas & Pehcevski, Evaluating Relevant in Context: Document Retrieval with a Twist, SIGIR 2007.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from eval.measures.precision_recall import interpolated_precision, recall_levels
from eval.numbers import BoolArray, FloatArray, IntArray

CUTOFFS = (1, 2, 3, 5, 10, 25, 50)

POINTS = 10
IP = tuple(f"iP[{point / POINTS:.2f}]" for point in range(POINTS + 1))
COUNTS = ("num_ret", "num_rel", "num_rel_ret")
DETAIL = ("iP[", "num_")


@dataclass(frozen=True, eq=False)
class ArticleCurve:
    """gP and gR at each article rank, shape (n_articles,); ``n_relevant`` articles of the topic have relevance."""

    precision: FloatArray
    found: IntArray
    is_relevant: BoolArray
    n_relevant: int

    @classmethod
    def of(cls, scores: FloatArray, is_relevant: BoolArray, n_relevant: int) -> ArticleCurve:
        """Return the curve: gP[r] = 1/r sum of the first r scores, gR[r] = articles with relevance / all of them."""
        ranks = np.arange(1, len(scores) + 1)
        return cls(np.cumsum(scores) / ranks, np.cumsum(is_relevant).astype(np.int64), is_relevant, n_relevant)

    def precision_at(self, rank: int) -> float:
        """Return gP[r]; past the last article the value at the last article."""
        return float(self.precision[min(rank, len(self.precision)) - 1]) if len(self.precision) else 0.0

    def recall_at(self, rank: int) -> float:
        """Return gR[r]; past the last article the value at the last article."""
        return float(self.found[min(rank, len(self.found)) - 1]) / self.n_relevant if len(self.found) else 0.0

    def average(self) -> float:
        """Return AgP: the sum of gP at the ranks of relevant articles / the number of all relevant articles."""
        return math.fsum(self.precision[self.is_relevant]) / self.n_relevant

    def interpolated(self) -> FloatArray:
        """Return gP interpolated at gR = 0.0, 0.1 ... 1.0, shape (11,)."""
        return interpolated_precision(self.precision, recall_levels(self.found, self.n_relevant, POINTS), POINTS)

    def measures(self, at: tuple[int, ...]) -> Iterator[tuple[str, float]]:
        """Yield name and value of every measure of the curve."""
        counts = (len(self.found), self.n_relevant, int(self.found[-1]) if len(self.found) else 0)
        yield from zip(COUNTS, map(float, counts), strict=True)
        for rank in at:
            yield f"gP[{rank}]", self.precision_at(rank)
            yield f"gR[{rank}]", self.recall_at(rank)
        yield "AgP", self.average()
        yield from zip(IP, self.interpolated().tolist(), strict=True)


def names(at: tuple[int, ...]) -> list[str]:
    """Return the names of the measures of a curve, in their order."""
    return [*COUNTS, *(f"{letter}[{rank}]" for rank in at for letter in ("gP", "gR")), "AgP", *IP]
