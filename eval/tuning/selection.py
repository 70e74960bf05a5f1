"""Selection of the best point on a sample of topics: exhaustively, or by successive halving."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from eval.numbers import DECIMALS, FloatArray
from eval.tuning.score_matrix import ScoreMatrix

PointRows: TypeAlias = NDArray[np.int64]

# Columns of topics in the score matrix, in the order in which successive halving adds them.
TopicColumns: TypeAlias = PointRows

Method: TypeAlias = Literal["grid", "halving"]

# Successive halving keeps one point in FACTOR, for FACTOR times as many topics.
FACTOR = 3

# Smallest number of topics in the first round of successive halving.
FEWEST = 10


@dataclass(frozen=True)
class HalvingRound:
    """A round of successive halving: numbers of points compared and of topics."""

    n_points: int
    n_topics: int


@dataclass(frozen=True)
class SelectedPoints:
    """The point selected on each sample, and the rounds of the first sample."""

    chosen: tuple[int, ...]
    rungs: tuple[HalvingRound, ...]


def means(values: FloatArray, points: PointRows, topics: TopicColumns) -> FloatArray:
    """Return the means of points over topics, shape (n_points,)."""
    sums: FloatArray = values[np.ix_(points, np.sort(topics))].sum(axis=1)
    return np.round(sums / len(topics), DECIMALS)


def best(values: FloatArray, points: PointRows, topics: TopicColumns) -> int:
    """Return the point with the highest mean over topics, the first of equal ones."""
    return int(points[np.argmax(means(values, points, topics))])


def by_grid(matrix: ScoreMatrix, n_points: int, samples: Sequence[TopicColumns]) -> SelectedPoints:
    """Return the best point on each sample, with every point scored on every topic."""
    points = np.arange(n_points)
    wanted = np.zeros(matrix.known.shape, np.bool_)
    for sample in samples:
        wanted[np.ix_(points, sample)] = True
    matrix.require(wanted)
    chosen = tuple(best(matrix.values, points, sample) for sample in samples)
    return SelectedPoints(chosen, (HalvingRound(n_points, len(samples[0])),))


def by_halving(matrix: ScoreMatrix, n_points: int, samples: Sequence[TopicColumns], seed: int) -> SelectedPoints:
    """Return the point that successive halving selects on each sample, over nested parts of growing size.

    All points are compared on few topics of the sample, the best third on three times as many, and so on; each round,
    including the last over the whole sample, costs about the same. No topic outside the sample is used. Ties are broken
    by a random order, because neighbouring points of a grid are similar and the first ones should not be preferred.
    Source: Jamieson & Talwalkar, AISTATS 2016 (Successive Halving), with topics as the resource.
    """
    n_rounds = _n_rounds(n_points, min(map(len, samples)))
    alive = [np.arange(n_points) for _ in samples]
    tie_break = np.random.default_rng(seed).permutation(n_points)
    rungs = []
    for number in range(n_rounds):
        parts = [sample[: -(-len(sample) // FACTOR ** (n_rounds - 1 - number))] for sample in samples]
        wanted = np.zeros(matrix.known.shape, np.bool_)
        for points, part in zip(alive, parts, strict=True):
            wanted[np.ix_(points, part)] = True
        matrix.require(wanted, f"round {number + 1} of {n_rounds}")
        rungs.append(HalvingRound(len(alive[0]), len(parts[0])))
        if number + 1 < n_rounds:
            n_left = -(-n_points // FACTOR ** (number + 1))
            alive = [_first(matrix.values, *each, tie_break, n_left) for each in zip(alive, parts, strict=True)]
    chosen = tuple(best(matrix.values, points, sample) for points, sample in zip(alive, samples, strict=True))
    return SelectedPoints(chosen, tuple(rungs))


def _n_rounds(n_points: int, n_topics: int) -> int:
    """Return the number of rounds: until few points are left, with enough topics in the first round."""
    n = 1
    while FACTOR**n < n_points and n_topics >= FEWEST * FACTOR**n:
        n += 1
    return n


def _first(values: FloatArray, points: PointRows, topics: TopicColumns, tie_break: PointRows, n: int) -> PointRows:
    """Return the n best points, ties broken by a random order, in the order of the grid."""
    order = np.lexsort((tie_break[points], -means(values, points, topics)))[:n]
    return points[np.sort(order)]
