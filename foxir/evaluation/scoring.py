"""Scores of runs, and statistics over them: significant differences, correlation and reliability of measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from engine.progress import Progress
from eval.judgements.judgements import Scale
from eval.judgements.recall_base import RecallBase
from eval.measures import MeasureOptions
from eval.scoring.request import Missing, ScoringRequest
from eval.scoring.score import score_runs
from eval.scoring.score_table import ScoreTable
from eval.statistics.measure_correlation import Correlations
from eval.statistics.measure_correlation import correlate as correlate_scored
from eval.statistics.reliability import Reliability
from eval.statistics.reliability import reliability as reliability_scored
from eval.statistics.run_comparison import RunComparison
from eval.statistics.run_comparison import compare as compare_scored
from eval.statistics.significance_tests import RESAMPLES, SEED, TestName
from eval.statistics.testing_options import Correction
from foxir import arguments
from foxir.evaluation import inputs
from foxir.evaluation.inputs import AssessmentsInput, IndexInput, RunsInput, TopicClass, significance_testing


def score(
    assessments: AssessmentsInput,
    runs: RunsInput,
    measures: str | Sequence[str] | None = None,
    *,
    options: MeasureOptions | None = None,
    task: str | None = None,
    index: IndexInput | None = None,
    only: str | Sequence[str] | None = None,
    topic_class: TopicClass = "all",
    recall_base: RecallBase = "full",
    scale: Scale | None = None,
    missing_topics: Missing = "zero",
    jobs: int = 1,
    progress: Progress | None = None,
) -> ScoreTable:
    """Return the scores of runs: a row for every run, measure and set of options, with a value for every topic.

    >>> table = score("qrels.txt", ["a.xml", "b.xml"], "hixeval", options={"alpha": [0.0, 1.0]})  # doctest: +SKIP
    >>> table.value("AP", run="a")                                                                 # doctest: +SKIP
    0.4208

    Args:
        assessments: assessments, or the file or folder that contains them.
        runs: a run, the file of one, or several.
        measures: measures ("AP", "nxCG@10", "inex_eval:AP") or families of measures ("hixeval"), which `foxir measures`
            lists; those of the task, or hixeval, if None.
        options: options of the measures by name; a list asks for each of its values.
        task: of INEX, such as "CO.Focussed" or "RelevantInContext", which names measures and options.
        index: the index of the judged collection, open or its folder, which gives sizes and offsets where assessments
            or runs lack them. Any object with the methods of `eval.text.element_locator.ElementLocator` will do.
        only: which topics, by id or as text such as "99,101-110"; all judged topics if None.
        topic_class, recall_base, scale: how the assessments are read, see docs/evaluation.md.
        missing_topics: judged topics that a run does not answer score 0 ("zero"), or are excluded from its mean
            ("skip").
        jobs: processes that score at the same time; the table does not depend on their number.
        progress: is called with the stage, the runs done and all runs.

    Raises: AssessmentError and RunFormatError for files that cannot be read; MeasureError for an unknown measure,
        option or topic, and for what a measure cannot be computed from; TopicError, IndexFormatError, ArgumentError.
    """
    locator = inputs.locator_of(index)
    judged, asked = inputs.judged_topics(assessments, locator, only, topic_class, recall_base, scale)
    request = ScoringRequest.of(
        judged,
        arguments.optional(arguments.texts, "measures", measures),
        inputs.options_of(options),
        task=arguments.optional(arguments.text, "task", task),
        topics=asked,
        locator=locator,
        missing=arguments.choice("missing_topics", missing_topics, get_args(Missing)),
        jobs=arguments.jobs(jobs),
        progress=arguments.callback("progress", progress),
    )
    return score_runs(request, inputs.runs_of(runs))


def compare(
    assessments: AssessmentsInput,
    runs: RunsInput,
    measure: str,
    *,
    test: TestName = "t",
    correction: Correction = "holm",
    level: float = 0.05,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    options: MeasureOptions | None = None,
    index: IndexInput | None = None,
    only: str | Sequence[str] | None = None,
    topic_class: TopicClass = "all",
    recall_base: RecallBase = "full",
    scale: Scale | None = None,
    missing_topics: Missing = "zero",
) -> RunComparison:
    """Return every pair of runs with the difference of their means under a measure and its significance.

    >>> compare("qrels.txt", ["a.xml", "b.xml"], "AP", test="wilcoxon").significant   # doctest: +SKIP
    frozenset({('a', 'b')})

    Args:
        measure: one measure, such as "AP", "nxCG@25" or "inex_eval:AP".
        test: "t", "wilcoxon", "sign", "bootstrap" or "randomisation", over the topics that both runs have a value for.
        correction: of p for the number of pairs: "none", "bonferroni", "holm" or "by".
        level: differences with a corrected p below it are significant.
        resamples, seed: of bootstrap and randomisation.
        Others: as in `score`.

    Raises: as `score`; MeasureError for fewer than two runs, and for options that make several measures of one.
    """
    result = compare_scored(
        _request(
            assessments,
            [arguments.text("measure", measure)],
            options,
            index,
            only,
            (topic_class, recall_base, scale),
            missing_topics,
        ),
        inputs.runs_of(runs),
        significance_testing(test, correction, level, resamples, seed),
    )
    return result


def correlate(
    assessments: AssessmentsInput,
    runs: RunsInput,
    measures: Sequence[str],
    *,
    test: TestName = "bootstrap",
    correction: Correction = "by",
    level: float = 0.05,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    options: MeasureOptions | None = None,
    index: IndexInput | None = None,
    only: str | Sequence[str] | None = None,
    topic_class: TopicClass = "all",
    recall_base: RecallBase = "full",
    scale: Scale | None = None,
    missing_topics: Missing = "zero",
) -> Correlations:
    """Return how similarly measures order runs (Spearman, Kendall) and decide about pairs of runs (precision, recall).

    >>> correlate("qrels.txt", runs, ["AP", "F@10"]).pairs[0].kendall.tau_b   # doctest: +SKIP
    0.8

    Args:
        measures: two or more, such as "AP", "nxCG@25", "inex_eval:AP".
        Others: as in `compare`.

    Raises: as `compare`.
    """
    names = arguments.texts("measures", measures)
    result = correlate_scored(
        _request(assessments, names, options, index, only, (topic_class, recall_base, scale), missing_topics),
        inputs.runs_of(runs),
        significance_testing(test, correction, level, resamples, seed),
    )
    return result


def reliability(
    assessments: AssessmentsInput,
    runs: RunsInput,
    measures: str | Sequence[str],
    *,
    test: TestName = "bootstrap",
    level: float = 0.05,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    options: MeasureOptions | None = None,
    index: IndexInput | None = None,
    only: str | Sequence[str] | None = None,
    topic_class: TopicClass = "all",
    recall_base: RecallBase = "full",
    scale: Scale | None = None,
    missing_topics: Missing = "zero",
) -> Reliability:
    """Return, for each measure, how many significant differences on one quarter of the topics another one reverses.

    Args: as in `correlate`.

    Raises: as `compare`; MeasureError for fewer than eight topics.
    """
    names = arguments.texts("measures", measures)
    result = reliability_scored(
        _request(assessments, names, options, index, only, (topic_class, recall_base, scale), missing_topics),
        inputs.runs_of(runs),
        significance_testing(test, "none", level, resamples, seed),
    )
    return result


def _request(
    assessments: object,
    measures: Sequence[str],
    options: object,
    index: object,
    only: object,
    judging: tuple[TopicClass, RecallBase, Scale | None],
    missing_topics: object,
) -> ScoringRequest:
    locator = inputs.locator_of(index)
    judged, asked = inputs.judged_topics(assessments, locator, only, *judging)
    return ScoringRequest.of(
        judged,
        measures,
        inputs.options_of(options),
        topics=asked,
        locator=locator,
        missing=arguments.choice("missing_topics", missing_topics, get_args(Missing)),
    )
