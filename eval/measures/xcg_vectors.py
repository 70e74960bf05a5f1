"""The formulas of the XCG measures over two vectors of gains: that of a ranking and the ideal one.

Source: Kazai & Lalmas, INEX 2005 Evaluation Measures, equations 4-6 and 11-14; Sakai, 2004 (Q and R). Equation numbers
are those of Kazai & Lalmas.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from eval.geometry import FloatArray, IntArray

Interpolation: TypeAlias = Literal["ranks", "ep"]

POINTS = 100

SLACK = 1e-12
"""Relative slack when gain is compared with a level of gain: sums in another order differ that much."""


@dataclass(frozen=True, eq=False)
class GainVectors:
    """The gain at each rank of a ranking, and the gains of the ideal one, all above 0, falling.

    ``n_missing`` counts the elements of the ideal ranking that were not returned.
    """

    gains: FloatArray
    ideal: FloatArray
    n_missing: int

    @cached_property
    def cumulated(self) -> FloatArray:
        """XCG (4), from rank 0 on, where it is 0."""
        return np.concatenate(([0.0], np.cumsum(self.gains)))

    @cached_property
    def ideal_cumulated(self) -> FloatArray:
        """XCI, from rank 0 on, where it is 0."""
        return np.concatenate(([0.0], np.cumsum(self.ideal)))

    @property
    def total(self) -> float:
        """All gain there is."""
        return float(self.ideal_cumulated[-1])

    def nxcg(self, last: int) -> FloatArray:
        """Return nxCG[i] = xCG[i]/xCI[i] (5), i = 1 ... last; both stay flat past their ends."""
        ranks = np.arange(1, last + 1)
        returned = self.cumulated[np.minimum(ranks, len(self.gains))]
        nxcg: FloatArray = returned / self.ideal_cumulated[np.minimum(ranks, len(self.ideal))]
        return nxcg

    @cached_property
    def natural(self) -> IntArray:
        """The ranks at which there is gain."""
        return np.flatnonzero(self.gains > 0) + 1

    def ideal_ranks(self, gain: FloatArray) -> FloatArray:
        """Return the rank at which the ideal ranking has cumulated the gain, on straight lines between ranks."""
        return np.interp(gain, self.ideal_cumulated, np.arange(len(self.ideal) + 1))

    @cached_property
    def effort_precision(self) -> FloatArray:
        """Effort-precision ep = ideal rank / rank (11) at the natural ranks; gain beyond all there is counts as all."""
        gain = np.minimum(self.cumulated[self.natural], self.total)
        ep: FloatArray = self.ideal_ranks(gain) / self.natural
        return ep

    def maep(self) -> float:
        """Return MAep: ep summed over the natural ranks / (their number + ideal elements not returned)."""
        asked = len(self.natural) + self.n_missing
        return math.fsum(self.effort_precision) / asked if asked else 0.0

    def interpolated_ep(self, how: Interpolation) -> FloatArray:
        """Return ep at gain-recall (12) 0.01 ... 1.00, shape (100,); 0 where the ranking never gets there.

        ``ranks`` interpolates the rank at which each ranking reaches the gain; ``ep`` the effort-precision between
        natural ranks, and takes that of the first one below it.
        """
        levels = np.arange(1, POINTS + 1) / POINTS * self.total
        reached = levels <= self.cumulated[-1] + SLACK * self.total
        levels = np.minimum(levels[reached], self.cumulated[-1])
        points = np.zeros(POINTS)
        if how == "ranks":
            points[reached] = self.ideal_ranks(levels) / self._ranks_of(levels)
        elif len(levels):
            at, firsts = np.unique(np.minimum(self.cumulated[self.natural], self.total), return_index=True)
            points[reached] = np.interp(levels, at, self.effort_precision[firsts])
        return points

    def _ranks_of(self, levels: FloatArray) -> FloatArray:
        """Return the rank at which the ranking reaches each level of gain, on straight lines between ranks."""
        returned = self.cumulated
        ends = np.searchsorted(returned, levels - SLACK * self.total)
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
