"""Learning: weights that maximise a measure on judged topics, and an estimate of their score on other topics.

Weights are learned by coordinate ascent, on scores that are computed again from stored parts, which is fast, and
reported by searches. As in `eval.tuning.tune`, each topic is scored under weights learned without it.

Source: Metzler & Croft, Linear feature-based models for information retrieval, Information Retrieval 10, 2007, 4.2: the
measure itself is maximised, which few weights allow. Each weight has a ladder of values; when no step on the ladders is
an improvement, the values halfway to the next rungs are tried once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from engine.notices import Notice
from engine.progress import Progress
from eval.output.tables import Column, PrintedTable, rounded
from eval.statistics.mean_estimate import mean_interval
from eval.statistics.significance_tests import RESAMPLES, SEED, Resampling, randomisation
from eval.tuning.cross_validated import CrossValidated, Fold
from eval.tuning.cross_validation import (
    dealt_folds,
    in_order,
    noise_notices,
    require,
    require_common_documents,
    require_relevance,
    topics_in_random_order,
    unused_topics,
)
from eval.tuning.grid import Point, text
from eval.tuning.journal import Journal
from eval.tuning.score_matrix import ScoreMatrix, Search
from eval.tuning.scorer import MeasureScorer
from eval.tuning.selection import TopicColumns, means

# The values of each weight that are tried, ascending.
Ladders: TypeAlias = Mapping[str, Sequence[float]]


def ascend(matrix: ScoreMatrix, start: Point, ladders: Ladders, topics: TopicColumns, stage: str = "learning") -> Point:
    """Return the weights whose mean over the topics no single step improves.

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
    """Return the mean of each point over the topics; topics without any score count 0."""
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


@dataclass(frozen=True, repr=False, kw_only=True)
class Learning(CrossValidated):
    """Learned weights, with an estimate of their score on other topics.

    The means that the weights of ``folds`` were learned by are of rescoring, all others of searches.
    ``before``: the base weights; ``without``: for each weight, the mean over all topics where it alone is set back.
    """

    before: Point
    learned: Point
    without: Mapping[str, float]

    @property
    def best(self) -> Mapping[str, Any]:
        """The weights learned on all topics."""
        return self.learned

    def _label(self, point: Point) -> str:
        """Return the weights of a point that differ from those before."""
        changed = [f"{name} {text(value)}" for name, value in point.items() if value != self.before[name]]
        return ", ".join(changed) or "as before"

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"measure", "options", "search", "seed", "best", "base", "estimate", "gain", "folds", ...}``."""
        common = self.common_values()
        return {
            **{name: common.pop(name) for name in ("measure", "options")},
            "search": "learn",
            **common,
            "weights": {
                name: {
                    "before": self.before[name],
                    "learned": value,
                    "folds": [fold.point[name] for fold in self.folds],
                    "set_back": rounded(self.without[name]),
                }
                for name, value in self.learned.items()
            },
        }

    def tables(self) -> tuple[PrintedTable, ...]:
        """Return the weights, the folds, and the estimate."""
        return self._weights(), self.fold_table(), self.estimate_table()

    def _weights(self) -> PrintedTable:
        return PrintedTable.of(
            "Learned weights",
            ["weight", "before", "learned", "by folds", Column("set back", 4)],
            [
                [name, text(self.before[name]), text(value), self._of_folds(name), self.without[name]]
                for name, value in self.learned.items()
            ],
            notes=["set back: the mean on all topics if this weight alone is as before"],
        )

    def _of_folds(self, name: str) -> str:
        found = sorted(float(fold.point[name]) for fold in self.folds)
        return text(found[0]) if found[0] == found[-1] else f"{text(found[0])} to {text(found[-1])}"


def learn(
    search: Search,
    rescoring: Search,
    scoring: MeasureScorer,
    ladders: Ladders,
    before: Point,
    *,
    topics: Sequence[str] | None = None,
    folds: int = 5,
    seed: int = SEED,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    jobs: int = 1,
    journal: Journal | None = None,
    progress: Progress | None = None,
) -> Learning:
    """Return weights learned on judged topics by coordinate ascent, and a cross-validated estimate of their score.

    Args:
        search: answers topics under weights; must be picklable for several jobs.
        rescoring: the same faster, from the best candidates of one search a topic; what weights are learned on.
        ladders: the values of each weight that are tried. before: the weights to start from.
        topics: the topics to learn from, all judged ones if none are named.
        journal: records scores of searches; those it contains are not computed again.

    Raises: MeasureError for too few topics, and where no judged document is returned.
    """
    if jobs < 1:
        raise ValueError(f"jobs={jobs}: expected 1 or more.")
    assessments = scoring.assessments
    asked = topics_in_random_order(assessments.topics, topics, seed, folds)
    with ScoreMatrix(search, scoring, [before], asked, jobs=jobs, journal=journal, progress=progress) as matrix:
        require(matrix, [(0, np.arange(len(asked)))], "before learning", may_lack=True)
        require_common_documents(matrix, assessments, asked)
        used = np.flatnonzero(~np.isnan(matrix.values[0]))
        require_relevance(scoring, len(asked), len(used))
        parts = [np.array(part, np.int64) for part in dealt_folds(used.tolist(), folds)]
        others = [used[~np.isin(used, part)] for part in parts]
        with ScoreMatrix(rescoring, scoring, [before], asked, progress=progress) as rescored:
            learned, *of_folds = (
                ascend(rescored, before, ladders, sample, f"learning, {number} of {len(others) + 1}")
                for number, sample in enumerate((used, *others), 1)
            )
            trained = [_mean(rescored, *each) for each in zip(of_folds, others, strict=True)]
        best, *numbers = matrix.add([learned, *of_folds]).tolist()
        set_back = matrix.add([{**learned, name: before[name]} for name in learned]).tolist()
        require(matrix, [(best, used), *zip(numbers, parts, strict=True), *((number, used) for number in set_back)])
        without = dict(zip(learned, means(matrix.values, np.array(set_back), used).tolist(), strict=True))
    held_out, resampling = np.full(len(asked), np.nan), Resampling(resamples, seed)
    for number, part in zip(numbers, parts, strict=True):
        held_out[part] = matrix.values[number, part]
    base, held_out = matrix.values[0, used], held_out[used]
    gain, p = mean_interval(held_out - base, level, resampling), randomisation(held_out - base, resampling).p
    return Learning(
        measure=f"{scoring.family}:{scoring.measure}",
        options=scoring.options,
        seed=seed,
        level=level,
        topics=in_order([asked[i] for i in used.tolist()], assessments),
        folds=tuple(
            Fold(
                in_order([asked[i] for i in part.tolist()], assessments),
                point,
                mean,
                float(means(matrix.values, np.array([number]), part)[0]),
            )
            for part, point, mean, number in zip(parts, of_folds, trained, numbers, strict=True)
        ),
        chosen=mean_interval(matrix.values[best, used], level, resampling),
        base=mean_interval(base, level, resampling),
        estimate=mean_interval(held_out, level, resampling),
        gain=gain,
        p=1.0 if p is None else p,
        notices=(
            *unused_topics(matrix, used, assessments),
            *matrix.notices,
            *noise_notices(gain, level),
            *_border_notices(learned, ladders, before),
        ),
        before=before,
        learned=learned,
        without=without,
    )


def _border_notices(learned: Point, ladders: Ladders, before: Point) -> Iterator[Notice]:
    """Yield a notice for each weight at the highest or lowest value tried; beyond 0 there is none."""
    for name, value in learned.items():
        tried = [*map(float, ladders[name]), float(before[name])]
        side = "highest" if float(value) == max(tried) else "lowest" if float(value) == min(tried) != 0 else None
        if side is not None:
            fields = {"name": name, "value": text(value), "side": side, "low": min(tried), "high": max(tried)}
            yield Notice("learned_on_border", fields)


def _mean(matrix: ScoreMatrix, point: Point, topics: TopicColumns) -> float:
    """Return the mean of a point over the topics."""
    (number,) = numbers = matrix.add([point])
    require(matrix, [(int(number), topics)])
    return float(means(matrix.values, numbers, topics)[0])
