"""Cross-validation by folds of topics: every topic is scored under settings that were chosen without it."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from eval.geometry import FloatArray
from eval.tuning.board import Board
from eval.tuning.folds import dealt
from eval.tuning.selection import Method, Rung, Sample, by_grid, by_halving


@dataclass(frozen=True)
class Choices:
    """What was chosen: the best point by all topics, and for each fold the best by the topics of the others.

    ``everything`` are the columns of all topics, rising; ``folds`` and ``others`` those inside and outside each fold.
    ``honest`` is the value of every topic under the choice of its fold, in the order of ``everything``.
    """

    best: int
    of_folds: tuple[int, ...]
    rungs: tuple[Rung, ...]
    everything: Sample
    folds: tuple[Sample, ...]
    others: tuple[Sample, ...]
    honest: FloatArray


def cross_validate(board: Board, n_points: int, topics: Sample, n_folds: int, method: Method, seed: int) -> Choices:
    """Return what all topics, and each fold's others, choose among the first points of a board.

    Args:
        topics: columns of the board, in the order in which they are dealt out to folds.
        seed: of the lots that halving draws between equals.
    """
    folds = [np.array(part, np.int64) for part in dealt(topics.tolist(), n_folds)]
    others = [topics[~np.isin(topics, fold)] for fold in folds]
    samples = [topics, *others]
    selection = by_grid(board, n_points, samples) if method == "grid" else by_halving(board, n_points, samples, seed)
    require(board, zip(selection.chosen, [topics, *folds], strict=True))
    best, *of_folds = selection.chosen
    honest = np.full(len(board.topics), np.nan)
    for point, fold in zip(of_folds, folds, strict=True):
        honest[fold] = board.values[point, fold]
    everything = np.sort(topics)
    return Choices(best, tuple(of_folds), selection.rungs, everything, tuple(folds), tuple(others), honest[everything])


def require(
    board: Board, pairs: Iterable[tuple[int, Sample]], stage: str = "held out", *, may_lack: bool = False
) -> None:
    """See to it that the values of some points over some topics are known."""
    wanted = np.zeros(board.known.shape, np.bool_)
    for point, topics in pairs:
        wanted[point, topics] = True
    board.require(wanted, stage, may_lack=may_lack)
