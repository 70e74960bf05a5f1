"""Choosing the best point by the topics of a sample: every point on every topic, or successive halving."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from eval.geometry import FloatArray
from eval.tuning.board import Board

Numbers: TypeAlias = NDArray[np.int64]

Sample: TypeAlias = Numbers
"""The columns of some topics on the board, in the order in which halving takes them up."""

Method: TypeAlias = Literal["grid", "halving"]

DECIMALS = 12
"""Means are compared after rounding: sums of the same scores in another order are the same mean."""

FACTOR = 3
"""Of successive halving: one point in three goes on, to three times as many topics."""

FEWEST = 10
"""Topics that points are first compared on in successive halving."""


@dataclass(frozen=True)
class Rung:
    """A round of successive halving: how many points were compared, on how many topics."""

    n_points: int
    n_topics: int


@dataclass(frozen=True)
class Selection:
    """The point that each sample chooses, and the rounds by which the first one did."""

    chosen: tuple[int, ...]
    rungs: tuple[Rung, ...]


def means(values: FloatArray, points: Numbers, topics: Sample) -> FloatArray:
    """Return the mean of some points over some topics, shape (n_points,)."""
    sums: FloatArray = values[np.ix_(points, np.sort(topics))].sum(axis=1)
    return np.round(sums / len(topics), DECIMALS)


def best(values: FloatArray, points: Numbers, topics: Sample) -> int:
    """Return the point with the highest mean over some topics, the first of equals."""
    return int(points[np.argmax(means(values, points, topics))])


def by_grid(board: Board, n_points: int, samples: Sequence[Sample]) -> Selection:
    """Return what each sample chooses when every point is scored on every topic."""
    points = np.arange(n_points)
    wanted = np.zeros(board.known.shape, np.bool_)
    for sample in samples:
        wanted[np.ix_(points, sample)] = True
    board.require(wanted)
    chosen = tuple(best(board.values, points, sample) for sample in samples)
    return Selection(chosen, (Rung(n_points, len(samples[0])),))


def by_halving(board: Board, n_points: int, samples: Sequence[Sample], seed: int) -> Selection:
    """Return what each sample chooses by successive halving over growing, nested parts of it.

    All points are compared on few topics of the sample, the best third on three times as many, and so on; the last
    round is over the whole sample, and costs about as much as each one before. A sample never sees a topic outside it.
    Where equals cannot all go on, as on a few topics that every point answers well, a random order decides: neighbours
    in the grid are alike, and its first corner should not be all that is left.
    Source: Jamieson & Talwalkar, AISTATS 2016 (Successive Halving); here the resource are topics.
    """
    n_rounds = _n_rounds(n_points, min(map(len, samples)))
    alive = [np.arange(n_points) for _ in samples]
    lots = np.random.default_rng(seed).permutation(n_points)
    rungs = []
    for number in range(n_rounds):
        parts = [sample[: -(-len(sample) // FACTOR ** (n_rounds - 1 - number))] for sample in samples]
        wanted = np.zeros(board.known.shape, np.bool_)
        for points, part in zip(alive, parts, strict=True):
            wanted[np.ix_(points, part)] = True
        board.require(wanted, f"round {number + 1} of {n_rounds}")
        rungs.append(Rung(len(alive[0]), len(parts[0])))
        if number + 1 < n_rounds:
            n_left = -(-n_points // FACTOR ** (number + 1))
            alive = [_first(board.values, *each, lots, n_left) for each in zip(alive, parts, strict=True)]
    chosen = tuple(best(board.values, points, sample) for points, sample in zip(alive, samples, strict=True))
    return Selection(chosen, tuple(rungs))


def _n_rounds(n_points: int, n_topics: int) -> int:
    """Return how many rounds there are: until few points are left, with enough topics in the first."""
    n = 1
    while FACTOR**n < n_points and n_topics >= FEWEST * FACTOR**n:
        n += 1
    return n


def _first(values: FloatArray, points: Numbers, topics: Sample, lots: Numbers, n: int) -> Numbers:
    """Return the n best points, of equals those with the lowest lots, in the order of the grid."""
    order = np.lexsort((lots[points], -means(values, points, topics)))[:n]
    return points[np.sort(order)]
