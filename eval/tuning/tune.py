"""Tuning: the best settings of a grid on judged topics, and what they will score on others.

Source: cross-validation after Stone, 1974; the tables and pictures follow Pehcevski, thesis, 3.2.3, which tuned on the
topics it then scored. Here each topic is scored under settings that were chosen without it.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from engine.errors import MeasureError, SettingsError
from eval.assessments import Assessments
from eval.measure_names import mean_name
from eval.statistics.interval import Interval, mean_interval
from eval.statistics.significance import RESAMPLES, SEED, Resampling, randomisation
from eval.tuning.board import Board, Progress
from eval.tuning.cross_validation import Choices, cross_validate, require
from eval.tuning.folds import dealt, shuffled
from eval.tuning.grid import Grid, Point
from eval.tuning.journal import Journal
from eval.tuning.ranges import Value, text
from eval.tuning.result import Fold, Tuning
from eval.tuning.scorer import Scorer
from eval.tuning.selection import Method, Sample, means
from eval.tuning.surface import Surface
from eval.tuning.worker import Search

BASE: Point = {}
"""The settings that are tuned from: no change."""

Check = Callable[[Point], object]


def tune(
    search: Search,
    scoring: Scorer,
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
    """Return the best settings of a grid, and an estimate of what they score on topics they were not chosen by.

    Topics are dealt out to folds at random. For each fold the point with the best mean over the topics of the other
    folds is chosen, and scored on the topics of this one: the mean of these scores over all topics is the estimate. The
    same choice on all topics gives the best settings. Equal means choose the first point of the grid. The result
    depends neither on `jobs` nor on what the journal held.

    Args:
        search: answers topics under a point; goes to other processes where there are several jobs.
        scoring: the judgements and the measure, of which more is better (:func:`eval.tuning.scorer.scorer`).
        topics: the topics to tune on, all judged ones if none are named.
        method: every point on every topic, or successive halving (:mod:`eval.tuning.selection`).
        journal: keeps scores, and gives those it has.
        check: raises SettingsError for a point that is not legal; tells whether there is anything beyond a border.

    Raises: MeasureError for too few topics, and where no judged document is returned.
    """
    if jobs < 1:
        raise ValueError(f"jobs={jobs}: expected 1 or more.")
    assessments = scoring.assessments
    asked = shuffled(list(assessments.topics) if topics is None else list(dict.fromkeys(topics)), seed)
    dealt(asked, folds)
    base = len(grid.points)
    with Board(search, scoring, [*grid.points, BASE], asked, jobs=jobs, journal=journal, progress=progress) as board:
        require(board, [(base, np.arange(len(asked)))], "before tuning", may_lack=True)
        _require_common_documents(board, assessments, asked)
        used = np.flatnonzero(~np.isnan(board.values[base]))
        _require_relevance(scoring, len(asked), len(used))
        choices = cross_validate(board, base, used, folds, method, seed)
    resampling = Resampling(resamples, seed)
    before, everything = board.values[base, choices.everything], choices.everything
    gains = choices.honest - before
    gain, p = mean_interval(gains, level, resampling), randomisation(gains, resampling).p
    surface = _surface(board, choices, grid, mean_name(scoring.measure))
    return Tuning(
        measure=f"{scoring.family}:{scoring.measure}",
        options=scoring.options,
        method=method,
        seed=seed,
        level=level,
        topics=_in_order([asked[i] for i in used.tolist()], assessments),
        surface=surface,
        rungs=choices.rungs,
        folds=tuple(_folds(board, choices, assessments)),
        chosen=mean_interval(board.values[choices.best, everything], level, resampling),
        base=mean_interval(before, level, resampling),
        estimate=mean_interval(choices.honest, level, resampling),
        gain=gain,
        p=1.0 if p is None else p,
        notices=(
            *_left_out(board, used, assessments),
            *board.notices,
            *_noise_notices(gain, level),
            *_border_notices(surface, check),
        ),
    )


def _in_order(topics: Sequence[str], assessments: Assessments) -> tuple[str, ...]:
    """Return topics in the order of the judgements."""
    wanted = set(topics)
    return tuple(topic for topic in assessments.topics if topic in wanted)


def _require_common_documents(board: Board, assessments: Assessments, topics: Sequence[str]) -> None:
    """Raise MeasureError when the settings tuned from return documents, and none of them is judged for its topic."""
    if board.is_judged or board.document is None:
        return
    judged = next((document for topic in topics for document in assessments.topics[topic].documents), "none")
    raise MeasureError(
        f"no judged document is returned before tuning: {assessments.source} judges {judged!r}, the answers are from "
        f"{board.document!r}. Do both name documents in the same way?"
    )


def _require_relevance(scoring: Scorer, n_asked: int, n_used: int) -> None:
    """Raise MeasureError when the measure, as its options are, is defined for none of the topics."""
    if not n_used:
        options = ", ".join(f"{name}={value}" for name, value in scoring.options.items() if value is not None)
        raise MeasureError(
            f"none of {n_asked} topics has relevance under {scoring.family}:{scoring.measure} ({options}): choose "
            "another measure, or other options of it."
        )


def _surface(board: Board, choices: Choices, grid: Grid, measure: str) -> Surface:
    """Return the means of all points that were scored on all topics."""
    complete = np.flatnonzero(board.known[:-1, choices.everything].all(axis=1))
    found = dict(zip(complete.tolist(), means(board.values, complete, choices.everything).tolist(), strict=True))
    return Surface(measure, grid, tuple(found.get(i) for i in range(len(grid.points))), choices.best)


def _folds(board: Board, choices: Choices, assessments: Assessments) -> Iterator[Fold]:
    for point, fold, others in zip(choices.of_folds, choices.folds, choices.others, strict=True):
        trained, held_out = (float(means(board.values, np.array([point]), part)[0]) for part in (others, fold))
        topics = _in_order([board.topics[i] for i in fold.tolist()], assessments)
        yield Fold(topics, board.points[point], trained, held_out)


def _left_out(board: Board, used: Sample, assessments: Assessments) -> Iterator[str]:
    unused = _in_order([topic for i, topic in enumerate(board.topics) if i not in set(used.tolist())], assessments)
    if unused:
        yield f"left out, without relevance under the measure: topic {', '.join(unused)}"


def _noise_notices(gain: Interval, level: float) -> Iterator[str]:
    """Yield what to say of a gain that may be none."""
    if gain.low <= 0:
        verdict = "is within noise" if gain.high >= 0 else "is a loss"
        yield (
            f"the gain {verdict}: {gain.mean:+.4f} on topics held out, {level:.0%} interval {gain.low:+.4f} to "
            f"{gain.high:+.4f}: keep the settings that were tuned from, or tune on more topics."
        )


def _border_notices(surface: Surface, check: Check | None) -> Iterator[str]:
    """Yield what to say of a best value on the border of the grid, unless nothing legal lies beyond."""
    for name, value, side in surface.borders():
        if not check or _is_legal({**surface.best_point, name: _beyond(value, side)}, check):
            yield f"the best {name}, {text(value)}, is the {side} of the grid: better ones may lie beyond, widen it."


def _beyond(value: Value, side: str) -> Value:
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
