"""Scoring runs against assessments, with an index for sizes and offsets."""

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
from foxir import arguments
from foxir.evaluation import inputs
from foxir.evaluation.inputs import AssessmentsInput, IndexInput, RunsInput
from foxir.evaluation.judgement_selection import TopicClass


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
