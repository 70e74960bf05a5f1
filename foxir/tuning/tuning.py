"""The best settings of a search on judged topics, of a grid or learned, and what they score on other topics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, Unpack, get_args

from engine.progress import Progress
from engine.settings import Settings
from eval.judgements.judgements import Scale
from eval.judgements.recall_base import RecallBase
from eval.measures import MeasureOptions
from eval.statistics.significance_tests import RESAMPLES, SEED
from eval.tuning.grid import Grid, make_grid, read_grid
from eval.tuning.learn import Learning
from eval.tuning.selection import Method
from eval.tuning.tuning_result import Tuning
from foxir import arguments
from foxir.arguments import PathLike
from foxir.evaluation.inputs import AssessmentsInput, TopicClass, judging_of
from foxir.searching.opened_index import Index
from foxir.searching.search_settings import SearchKeywords, settings_of
from foxir.searching.topic_input import TopicsInput, topics_of
from foxir.tuning.judged_search import WEIGHTS, judged_search, values_to_try

GridInput: TypeAlias = Mapping[str, Any] | Grid | PathLike


def tune(
    index: Index,
    topics: TopicsInput,
    assessments: AssessmentsInput,
    grid: GridInput,
    measure: str,
    *,
    settings: Settings | None = None,
    options: MeasureOptions | None = None,
    only: str | None = None,
    topic_class: TopicClass = "all",
    recall_base: RecallBase = "full",
    scale: Scale | None = None,
    folds: int = 5,
    method: Method = "grid",
    seed: int = SEED,
    resamples: int = RESAMPLES,
    jobs: int = 1,
    progress: Progress | None = None,
    **keywords: Unpack[SearchKeywords],
) -> Tuning:
    """Return the best settings of a grid on judged topics, with an estimate of what they score on other topics.

    >>> tuning = tune(index, "topics/co", "qrels.txt", {"k1": [0.9, 1.2], "b": [0.4, 0.75]}, "AP")   # doctest: +SKIP
    >>> tuning.best, tuning.estimate.mean, tuning.is_within_noise                                     # doctest: +SKIP
    ({'k1': 1.2, 'b': 0.4}, 0.31, False)
    >>> index.search("fog signal", Settings.from_options(**tuning.best))                               # doctest: +SKIP

    Args:
        grid: values by setting, or the TOML file of them (docs/tuning.md): every combination is a point.
        measure: one measure of which more is better, such as "AP" or "inex_eval:AP".
        settings, keywords: the settings that are tuned from, as in `Index.search`.
        options: options of the measure, one value each.
        only: which topics, such as "99,101-110".
        topic_class, recall_base, scale: as in `score`.
        folds: parts of the topics; each is scored under settings chosen on the others.
        method: "grid", every point on every topic, or "halving", successive halving.
        seed, resamples: of folds and of bootstrap intervals.
        jobs: processes that search; the result does not depend on their number.
        progress: is called with the stage, the units done and all units.

    Raises: SettingsError for a grid that is not legal; TopicError where no topic is judged; MeasureError, also for too
        few topics; AssessmentError, IndexFormatError, ArgumentError.
    """
    judged = judged_search(
        arguments.instance("index", index, Index),
        topics_of(topics, only),
        assessments,
        arguments.text("measure", measure),
        settings_of(settings, keywords),
        options,
        judging_of(topic_class, recall_base, scale),
    )
    points = _grid(grid, judged.search.settings)
    judged.check(points)
    return judged.tuned(
        points,
        folds=arguments.count("folds", folds, lowest=2),
        seed=arguments.seed(seed),
        method=arguments.choice("method", method, get_args(Method)),
        resamples=arguments.resamples(resamples),
        jobs=arguments.jobs(jobs),
        progress=arguments.callback("progress", progress),
    )


def _grid(grid: object, check: Callable[[Mapping[str, Any]], object]) -> Grid:
    """Return a grid whose points are legal."""
    if isinstance(grid, Grid):
        for point in grid.points:
            check(point)
        return grid
    if isinstance(grid, Mapping):
        values = arguments.mapping("grid", grid)
        return make_grid(
            {name: list(each) if isinstance(each, tuple) else each for name, each in values.items()}, check
        )
    return read_grid(arguments.path("grid", grid), check)


def learn(
    index: Index,
    topics: TopicsInput,
    assessments: AssessmentsInput,
    measure: str,
    *,
    weights: Sequence[str] = WEIGHTS,
    settings: Settings | None = None,
    options: MeasureOptions | None = None,
    only: str | None = None,
    topic_class: TopicClass = "all",
    recall_base: RecallBase = "full",
    scale: Scale | None = None,
    folds: int = 5,
    seed: int = SEED,
    resamples: int = RESAMPLES,
    jobs: int = 1,
    progress: Progress | None = None,
    **keywords: Unpack[SearchKeywords],
) -> Learning:
    """Return weights of the parts of a score, learned on judged topics, with an estimate for other topics.

    >>> learning = learn(index, "topics/co", "qrels.txt", "AP", weights=["coverage"])                   # doctest: +SKIP
    >>> learning.best, learning.estimate.mean, learning.is_within_noise                               # doctest: +SKIP
    ({'coverage': 0.4}, 0.31, False)

    Args:
        weights: the settings that are learned; all of them are the default.
        settings, keywords: the settings that are started from, as in `Index.search`; elements must be scored.
        folds: parts of the topics; each is scored under weights learned on the others.
        measure, options, only, topic_class, recall_base, scale, seed, resamples, jobs, progress: as in `tune`.

    Raises: SettingsError for a weight of another name, and where elements are not scored; otherwise as `tune`.
    """
    judged = judged_search(
        arguments.instance("index", index, Index),
        topics_of(topics, only),
        assessments,
        arguments.text("measure", measure),
        settings_of(settings, keywords),
        options,
        judging_of(topic_class, recall_base, scale),
    )
    names = arguments.texts("weights", weights)
    values_to_try(names)
    return judged.learned(
        judged.rescored(names),
        folds=arguments.count("folds", folds, lowest=2),
        seed=arguments.seed(seed),
        resamples=arguments.resamples(resamples),
        jobs=arguments.jobs(jobs),
        progress=arguments.callback("progress", progress),
    )
