"""Coordinate ascent: one weight at a time is set to the value with the best mean, until none gets better.

Source: Metzler & Croft, Linear feature-based models for information retrieval, Information Retrieval 10, 2007, 4.2: the
measure itself is maximised, which few weights allow. Each weight has a ladder of values; when no step on the ladders is
an improvement, the values halfway to the next rungs are tried once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from eval.tuning.grid import Point
from eval.tuning.score_matrix import ScoreMatrix
from eval.tuning.selection import TopicColumns, means

# The values of each weight that are tried, ascending.
Ladders: TypeAlias = Mapping[str, Sequence[float]]


def ascend(matrix: ScoreMatrix, start: Point, ladders: Ladders, topics: TopicColumns, stage: str = "learning") -> Point:
    """Return the weights that no single step improves in the mean over some topics.

    Of equal means the present value stays, then the lowest one. Each weight has its rungs and its value at the start.
    """
    point, best = dict(start), _means(matrix, [start], topics, stage)[0]
    is_better = True
    while is_better:
        is_better = False
        for name in ladders:
            point, found = _step(matrix, point, name, _rungs(ladders, start, name), topics, stage, best)
            best, is_better = found, is_better or found > best
    for name in ladders:
        values = _halfway(_rungs(ladders, start, name), float(point[name]))
        point, best = _step(matrix, point, name, values, topics, stage, best)
    return point


def _step(
    matrix: ScoreMatrix,
    point: dict[str, str | int | float | bool],
    name: str,
    values: Sequence[float],
    topics: TopicColumns,
    stage: str,
    best: float,
) -> tuple[dict[str, str | int | float | bool], float]:
    """Return the point with the best value of one weight, and its mean."""
    line = [{**point, name: value} for value in values]
    if not line:
        return point, best
    found = _means(matrix, line, topics, stage)
    highest = int(np.argmax(found))
    return (line[highest], found[highest]) if found[highest] > best else (point, best)


def _means(matrix: ScoreMatrix, points: Sequence[Point], topics: TopicColumns, stage: str) -> list[float]:
    """Return the mean of each point over some topics; those that no point scores count 0."""
    numbers = matrix.add(points)
    wanted = np.zeros(matrix.known.shape, np.bool_)
    wanted[np.ix_(numbers, topics)] = True
    matrix.require(wanted, stage)
    found: list[float] = means(matrix.values, numbers, topics).tolist()
    return found


def _rungs(ladders: Ladders, start: Point, name: str) -> list[float]:
    return sorted({*map(float, ladders[name]), float(start[name])})


def _halfway(rungs: Sequence[float], value: float) -> list[float]:
    """Return the values between a rung and the next ones."""
    return [round((low + high) / 2, 6) for low, high in pairwise(rungs) if value in (low, high)]
