"""Scores of runs, and statistics over them: significant differences, correlation and reliability of measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict, Unpack, get_args

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


class ScoringKeywords(TypedDict, total=False):
    """The keywords of `score` that `compare`, `correlate` and `reliability` have, too."""

    options: MeasureOptions | None
    index: IndexInput | None
    only: str | Sequence[str] | None
    topic_class: TopicClass
    recall_base: RecallBase
    scale: Scale | None
    missing_topics: Missing


def score(
    assessments: AssessmentsInput,
    runs: RunsInput,
    measures: str | Sequence[str] | None = None,
    *,
    task: str | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
    **keywords: Unpack[ScoringKeywords],
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
        task: of INEX, such as "CO.Focussed" or "RelevantInContext", which names measures and options.
        jobs: processes that score at the same time; the table does not depend on their number.
        progress: is called with the stage, the runs done and all runs.
        options=None: options of the measures by name; a list asks for each of its values.
        index=None: the index of the judged collection, open or its folder, which gives sizes and offsets where
            assessments or runs lack them. Any object with the methods of `eval.text.element_locator.ElementLocator`
            will do.
        only=None: which topics, by id or as text such as "99,101-110"; all judged topics if None.
        topic_class="all", recall_base="full", scale=None: how the assessments are read, see docs/evaluation.md.
        missing_topics="zero": judged topics that a run does not answer score 0, or are excluded from its mean ("skip").

    Raises: AssessmentError and RunFormatError for files that cannot be read; MeasureError for an unknown measure,
        option or topic, and for what a measure cannot be computed from; TopicError, IndexFormatError, ArgumentError.
    """
    names = arguments.optional(arguments.texts, "measures", measures)
    request = scoring_request(assessments, names, task=task, jobs=jobs, progress=progress, **keywords)
    return score_runs(request, inputs.runs_of(runs))


def score_usual(
    assessments: AssessmentsInput,
    runs: RunsInput,
    *,
    jobs: int = 1,
    progress: Progress | None = None,
    **keywords: Unpack[ScoringKeywords],
) -> ScoreTable:
    """Return the scores of runs by the families that `foxir eval` computes where none is named.

    Those that cannot be computed for some run are left out, with a notice.
    """
    request = scoring_request(assessments, None, may_leave_out=True, jobs=jobs, progress=progress, **keywords)
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
    **keywords: Unpack[ScoringKeywords],
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
        keywords: as in `score`.

    Raises: as `score`; MeasureError for fewer than two runs, and for options that make several measures of one.
    """
    request = scoring_request(assessments, [arguments.text("measure", measure)], **keywords)
    testing = significance_testing(test, correction, level, resamples, seed)
    return compare_scored(request, inputs.runs_of(runs), testing)


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
    **keywords: Unpack[ScoringKeywords],
) -> Correlations:
    """Return how similarly measures order runs (Spearman, Kendall) and decide about pairs of runs (precision, recall).

    >>> correlate("qrels.txt", runs, ["AP", "F@10"]).pairs[0].kendall.tau_b   # doctest: +SKIP
    0.8

    Args:
        measures: two or more, such as "AP", "nxCG@25", "inex_eval:AP".
        Others: as in `compare`.

    Raises: as `compare`.
    """
    request = scoring_request(assessments, arguments.texts("measures", measures), **keywords)
    testing = significance_testing(test, correction, level, resamples, seed)
    return correlate_scored(request, inputs.runs_of(runs), testing)


def reliability(
    assessments: AssessmentsInput,
    runs: RunsInput,
    measures: str | Sequence[str],
    *,
    test: TestName = "bootstrap",
    level: float = 0.05,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    **keywords: Unpack[ScoringKeywords],
) -> Reliability:
    """Return, for each measure, the share of significant differences on one quarter of the topics reversed on another.

    Args: as in `correlate`.

    Raises: as `compare`; MeasureError for fewer than eight topics.
    """
    request = scoring_request(assessments, arguments.texts("measures", measures), **keywords)
    testing = significance_testing(test, "none", level, resamples, seed)
    return reliability_scored(request, inputs.runs_of(runs), testing)


def scoring_request(
    assessments: object,
    measures: Sequence[str] | None,
    *,
    options: object = None,
    index: object = None,
    only: object = None,
    topic_class: TopicClass = "all",
    recall_base: RecallBase = "full",
    scale: Scale | None = None,
    missing_topics: object = "zero",
    task: object = None,
    jobs: object = 1,
    progress: object = None,
    may_leave_out: bool = False,
) -> ScoringRequest:
    """Return the checked request of a call; raises as `score`."""
    locator = inputs.locator_of(index)
    judged, asked = inputs.judged_topics(assessments, locator, only, topic_class, recall_base, scale)
    return ScoringRequest.of(
        judged,
        measures,
        inputs.options_of(options),
        task=arguments.optional(arguments.text, "task", task),
        topics=asked,
        locator=locator,
        missing=arguments.choice("missing_topics", missing_topics, get_args(Missing)),
        jobs=arguments.jobs(jobs),
        may_leave_out=may_leave_out,
        progress=arguments.callback("progress", progress),
    )
