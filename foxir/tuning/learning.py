"""Learning: weights of the parts of a score from judged topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from engine.progress import Progress
from engine.settings import Settings
from eval.judgements.judgements import Scale
from eval.judgements.recall_base import RecallBase
from eval.measures import MeasureOptions
from eval.statistics.significance_tests import RESAMPLES, SEED
from eval.tuning.learn import Learning
from foxir import arguments
from foxir.evaluation.inputs import AssessmentsInput, judging_of
from foxir.evaluation.judged_search import judged_search
from foxir.evaluation.judgement_selection import TopicClass
from foxir.searching.opened_index import Index
from foxir.searching.search_settings import SearchKeywords, settings_of
from foxir.searching.topic_input import TopicsInput, topics_of
from foxir.tuning.learned_weights import WEIGHTS, values_to_try


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
