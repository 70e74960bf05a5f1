"""Cross-validation over folds of topics: every topic is scored under settings chosen without it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from eval.arrays import FloatArray
from eval.tuning.folds import dealt_folds
from eval.tuning.score_matrix import ScoreMatrix
from eval.tuning.selection import HalvingRound, Method, TopicColumns, by_grid, by_halving


@dataclass(frozen=True)
class Choices:
    """The selected points: the best one on all topics, and for each fold the best one on the topics of the other folds.

    ``everything`` are the columns of all topics, ascending; ``folds`` and ``others`` those inside and outside each
    fold. ``held_out`` is the value of every topic under the point selected without its fold, in the same order.
    """

    best: int
    of_folds: tuple[int, ...]
    rungs: tuple[HalvingRound, ...]
    everything: TopicColumns
    folds: tuple[TopicColumns, ...]
    others: tuple[TopicColumns, ...]
    held_out: FloatArray


def cross_validate(
    matrix: ScoreMatrix, n_points: int, topics: TopicColumns, n_folds: int, method: Method, seed: int
) -> Choices:
    """Return the points selected on all topics, and on the topics outside each fold, among the first ``n_points``.

    Args:
        topics: columns of the score matrix, in the order in which they are assigned to folds.
        seed: of the random order that breaks ties in successive halving.
    """
    folds = [np.array(part, np.int64) for part in dealt_folds(topics.tolist(), n_folds)]
    others = [topics[~np.isin(topics, fold)] for fold in folds]
    samples = [topics, *others]
    selection = by_grid(matrix, n_points, samples) if method == "grid" else by_halving(matrix, n_points, samples, seed)
    require(matrix, zip(selection.chosen, [topics, *folds], strict=True))
    best, *of_folds = selection.chosen
    held_out = np.full(len(matrix.topics), np.nan)
    for point, fold in zip(of_folds, folds, strict=True):
        held_out[fold] = matrix.values[point, fold]
    everything = np.sort(topics)
    return Choices(
        best, tuple(of_folds), selection.rungs, everything, tuple(folds), tuple(others), held_out[everything]
    )


def require(
    matrix: ScoreMatrix, pairs: Iterable[tuple[int, TopicColumns]], stage: str = "held out", *, may_lack: bool = False
) -> None:
    """Compute the scores of points on topics that are not known yet."""
    wanted = np.zeros(matrix.known.shape, np.bool_)
    for point, topics in pairs:
        wanted[point, topics] = True
    matrix.require(wanted, stage, may_lack=may_lack)
