"""The XCG measures over two vectors of gains: of a ranking and of the ideal ranking.

Source: Kazai & Lalmas, INEX 2005 Evaluation Measures, equations 4-6 and 11-14; Sakai, 2004 (Q and R). Equation numbers
are those of Kazai & Lalmas.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from eval.arrays import FloatArray, IntArray
from eval.tolerance import TOLERANCE

Interpolation: TypeAlias = Literal["ranks", "ep"]

POINTS = 100


@dataclass(frozen=True, eq=False)
class GainVectors:
    """The gains of a ranking by rank, and the gains of the ideal ranking, positive and in decreasing order.

    ``n_missing`` is the number of elements of the ideal ranking that were not returned.
    """

    gains: FloatArray
    ideal: FloatArray
    n_missing: int

    @cached_property
    def cumulated(self) -> FloatArray:
        """xCG (4) at ranks 0, 1 ...; 0 at rank 0."""
        return np.concatenate(([0.0], np.cumsum(self.gains)))

    @cached_property
    def ideal_cumulated(self) -> FloatArray:
        """xCI at ranks 0, 1 ...; 0 at rank 0."""
        return np.concatenate(([0.0], np.cumsum(self.ideal)))

    @property
    def total(self) -> float:
        """Total gain of the ideal ranking."""
        return float(self.ideal_cumulated[-1])

    @property
    def n_varying(self) -> int:
        """The number of ranks past which nxCG is constant."""
        return max(len(self.gains), len(self.ideal))

    def nxcg(self, last: int) -> FloatArray:
        """Return nxCG[i] = xCG[i]/xCI[i] (5), i = 1 ... last; both are constant past their ends."""
        ranks = np.arange(1, last + 1)
        returned = self.cumulated[np.minimum(ranks, len(self.gains))]
        nxcg: FloatArray = returned / self.ideal_cumulated[np.minimum(ranks, len(self.ideal))]
        return nxcg

    @cached_property
    def natural(self) -> IntArray:
        """The ranks at which there is gain."""
        return np.flatnonzero(self.gains > 0) + 1

    def ideal_ranks(self, gain: FloatArray) -> FloatArray:
        """Return the rank at which the ideal ranking reaches each cumulated gain, by linear interpolation."""
        return np.interp(gain, self.ideal_cumulated, np.arange(len(self.ideal) + 1))

    @cached_property
    def effort_precision(self) -> FloatArray:
        """Effort-precision ep = ideal rank / rank (11) at the natural ranks; gain is capped at the ideal total."""
        gain = np.minimum(self.cumulated[self.natural], self.total)
        ep: FloatArray = self.ideal_ranks(gain) / self.natural
        return ep

    def maep(self) -> float:
        """Return MAep: ep summed over the natural ranks / (their number + ideal elements not returned)."""
        asked = len(self.natural) + self.n_missing
        return math.fsum(self.effort_precision) / asked if asked else 0.0

    def interpolated_ep(self, how: Interpolation) -> FloatArray:
        """Return ep at gain-recall (12) 0.01 ... 1.00, shape (100,); 0 at levels that the ranking does not reach.

        ``ranks`` interpolates the rank at which each ranking reaches the gain; ``ep`` interpolates effort-precision
        between natural ranks, and uses that of the first natural rank below it.
        """
        levels = np.arange(1, POINTS + 1) / POINTS * self.total
        reached = levels <= self.cumulated[-1] + TOLERANCE * self.total
        levels = np.minimum(levels[reached], self.cumulated[-1])
        points = np.zeros(POINTS)
        if how == "ranks":
            points[reached] = self.ideal_ranks(levels) / self._ranks_of(levels)
        elif len(levels):
            at, firsts = np.unique(np.minimum(self.cumulated[self.natural], self.total), return_index=True)
            points[reached] = np.interp(levels, at, self.effort_precision[firsts])
        return points

    def _ranks_of(self, levels: FloatArray) -> FloatArray:
        """Return the rank at which the ranking reaches each level of gain, by linear interpolation."""
        returned = self.cumulated
        ends = np.searchsorted(returned, levels - TOLERANCE * self.total)
        step = returned[ends] - returned[ends - 1]
        part: FloatArray = np.minimum((levels - returned[ends - 1]) / step, 1.0)
        return part + (ends - 1)

    def imaep(self, how: Interpolation) -> float:
        """Return iMAep: the mean of ep at gain-recall 0.01 ... 1.00."""
        return math.fsum(self.interpolated_ep(how)) / POINTS

    def q(self) -> float:
        """Return Q = 1/R sum over natural ranks j of cbg(j)/(cig(j) + j) (13), R the ideal elements.

        cbg cumulates gain + 1 at natural ranks; cig is xCI without the bonus, as Sakai has it, so that the ideal
        ranking scores 1.
        """
        shares = self._bonused(self.natural) / (self._ideal_at(self.natural) + self.natural)
        return math.fsum(shares) / len(self.ideal)

    def r(self) -> float:
        """Return R = cbg(R)/(cig(R) + R) (14), R the number of ideal elements."""
        last = np.array([len(self.ideal)])
        return float((self._bonused(last) / (self._ideal_at(last) + last))[0])

    def _bonused(self, ranks: IntArray) -> FloatArray:
        """Return cbg at the ranks."""
        bonus = np.concatenate(([0], np.cumsum(self.gains > 0)))
        at = np.minimum(ranks, len(self.gains))
        cbg: FloatArray = self.cumulated[at] + bonus[at]
        return cbg

    def _ideal_at(self, ranks: IntArray) -> FloatArray:
        return self.ideal_cumulated[np.minimum(ranks, len(self.ideal))]
