"""Tuning: the best settings of a grid on judged topics, and an estimate of their score on other topics.

Source: cross-validation after Stone, 1974; tables and plots follow Pehcevski, thesis, 3.2.3, where settings were tuned
and scored on the same topics. Here each topic is scored under settings chosen without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from engine.errors import SettingsError
from engine.notices import Notice
from engine.progress import Progress
from eval.measures.measure_names import mean_name
from eval.statistics.mean_estimate import mean_interval
from eval.statistics.significance_tests import RESAMPLES, SEED, Resampling, randomisation
from eval.tuning.cross_validation import (
    Choices,
    cross_validate,
    described_folds,
    in_order,
    noise_notices,
    require,
    require_common_documents,
    require_relevance,
    topics_in_random_order,
    unused_topics,
)
from eval.tuning.grid import Grid, Point, SettingValue, text
from eval.tuning.journal import Journal
from eval.tuning.score_matrix import ScoreMatrix, Search
from eval.tuning.scorer import MeasureScorer
from eval.tuning.selection import Method, means
from eval.tuning.tuning_result import Surface, Tuning

# The base settings: no changes.
BASE: Point = {}

Check = Callable[[Point], object]


def tune(
    search: Search,
    scoring: MeasureScorer,
    grid: Grid,
    *,
    topics: Sequence[str] | None = None,
    folds: int = 5,
    seed: int = SEED,
    method: Method = "grid",
    level: float = 0.95,
    resamples: int = RESAMPLES,
    jobs: int = 1,
    journal: Journal | None = None,
    progress: Progress | None = None,
    check: Check | None = None,
) -> Tuning:
    """Return the best settings of a grid, and a cross-validated estimate of their score.

    Topics are assigned to random folds. For each fold, the point with the best mean over the topics of the other folds
    is selected and scored on the topics of the fold; the mean of these scores over all topics is the estimate. The best
    settings are selected on all topics. Of equal means the first point of the grid is selected. The result depends
    neither on `jobs` nor on the journal.

    Args:
        search: answers topics under a point; must be picklable for several jobs.
        scoring: the judgements and the measure, of which more is better (:func:`eval.tuning.scorer.MeasureScorer`).
        topics: the topics to tune on, all judged ones if none are named.
        method: every point on every topic, or successive halving (:mod:`eval.tuning.selection`).
        journal: records scores; those it contains are not computed again.
        check: raises SettingsError for an invalid point; used to find out whether values beyond a border are valid.

    Raises: MeasureError for too few topics, and where no judged document is returned.
    """
    if jobs < 1:
        raise ValueError(f"jobs={jobs}: expected 1 or more.")
    assessments = scoring.assessments
    asked = topics_in_random_order(assessments.topics, topics, seed, folds)
    base = len(grid.points)
    with ScoreMatrix(
        search, scoring, [*grid.points, BASE], asked, jobs=jobs, journal=journal, progress=progress
    ) as matrix:
        require(matrix, [(base, np.arange(len(asked)))], "before tuning", may_lack=True)
        require_common_documents(matrix, assessments, asked)
        used = np.flatnonzero(~np.isnan(matrix.values[base]))
        require_relevance(scoring, len(asked), len(used))
        choices = cross_validate(matrix, base, used, folds, method, seed)
    resampling = Resampling(resamples, seed)
    before, everything = matrix.values[base, choices.everything], choices.everything
    gains = choices.held_out - before
    gain, p = mean_interval(gains, level, resampling), randomisation(gains, resampling).p
    surface = _surface(matrix, choices, grid, mean_name(scoring.measure))
    return Tuning(
        measure=f"{scoring.family}:{scoring.measure}",
        options=scoring.options,
        method=method,
        seed=seed,
        level=level,
        topics=in_order([asked[i] for i in used.tolist()], assessments),
        surface=surface,
        rungs=choices.rungs,
        folds=tuple(described_folds(matrix, choices, assessments)),
        chosen=mean_interval(matrix.values[choices.best, everything], level, resampling),
        base=mean_interval(before, level, resampling),
        estimate=mean_interval(choices.held_out, level, resampling),
        gain=gain,
        p=1.0 if p is None else p,
        notices=(
            *unused_topics(matrix, used, assessments),
            *matrix.notices,
            *noise_notices(gain, level),
            *_border_notices(surface, check),
        ),
    )


def _surface(matrix: ScoreMatrix, choices: Choices, grid: Grid, measure: str) -> Surface:
    """Return the surface, with the means of the points that were scored on all topics."""
    complete = np.flatnonzero(matrix.known[:-1, choices.everything].all(axis=1))
    found = dict(zip(complete.tolist(), means(matrix.values, complete, choices.everything).tolist(), strict=True))
    return Surface(measure, grid, tuple(found.get(i) for i in range(len(grid.points))), choices.best)


def _border_notices(surface: Surface, check: Check | None) -> Iterator[Notice]:
    """Yield a notice for each best value on the border of the grid, unless no valid value is beyond it."""
    for name, value, side in surface.borders():
        if not check or _is_legal({**surface.best_point, name: _beyond(value, side)}, check):
            yield Notice("best_on_border", {"name": name, "value": text(value), "side": side})


def _beyond(value: SettingValue, side: str) -> SettingValue:
    """Return a number just outside a border."""
    number = float(value)
    step = 1 if isinstance(value, int) else max(abs(number) * 1e-6, 1e-9)
    outside = number + step if side == "highest" else number - step
    return int(outside) if isinstance(value, int) else outside


def _is_legal(point: Point, check: Check) -> bool:
    try:
        check(point)
    except SettingsError:
        return False
    return True
