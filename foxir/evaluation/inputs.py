"""Inputs of the evaluation as callers give them: assessments, runs and an index, each as a value or as a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast, get_args

from engine.runs import Run
from engine.topics import selected_ids
from eval import Assessments, read_assessments
from eval.judgements.judgements import Scale
from eval.judgements.recall_base import RecallBase
from eval.text.element_locator import ElementLocator
from foxir import arguments
from foxir.arguments import PathLike
from foxir.evaluation.judgement_selection import Judging, TopicClass

if TYPE_CHECKING:
    from foxir.searching.opened_index import Index

AssessmentsInput: TypeAlias = Assessments | PathLike
RunsInput: TypeAlias = Run | PathLike | Sequence[Run | PathLike]
IndexInput: TypeAlias = "Index | ElementLocator | PathLike"

LOCATOR_METHODS = ("length", "spans", "elements", "offset")  # methods of the protocol


def assessments_of(value: object, *, may_judge_documents: bool = False) -> Assessments:
    """Return assessments, read if they are given as a file or folder; raises TypeError, AssessmentError.

    Args:
        may_judge_documents: whether TREC qrels are read too.
    """
    if isinstance(value, Assessments):
        return value
    return read_assessments(arguments.path("assessments", value), may_judge_documents=may_judge_documents)


def runs_of(value: object) -> list[Run | Path]:
    """Return runs, or the files of runs; a single one counts as a list of one; raises TypeError."""
    expected = "a Run, the file of one, or a list of these"
    if isinstance(value, Run):
        return [value]
    if hasattr(value, "__fspath__") or isinstance(value, str):
        return [arguments.path("runs", value)]
    runs: list[Run | Path] = []
    for place, each in enumerate(arguments.items("runs", value, expected)):
        runs.append(each if isinstance(each, Run) else arguments.path(f"runs[{place}]", each))
    return runs


def locator_of(value: object) -> ElementLocator | None:
    """Return the locator of an open index, of the index in a folder, or the given locator; None for None.

    Raises: TypeError; IndexFormatError for a folder without an index.
    """
    from foxir.searching.opened_index import Index, open_index  # noqa: PLC0415  (slow to import, and often not needed)

    if value is None:
        return None
    if isinstance(value, Index):
        return value.locator
    if isinstance(value, str) or hasattr(value, "__fspath__"):
        return open_index(arguments.path("index", value)).locator
    if all(callable(getattr(value, name, None)) for name in LOCATOR_METHODS):
        return cast(ElementLocator, value)
    raise arguments.refuse_type("index", value, f"an Index, its folder, or an object with {', '.join(LOCATOR_METHODS)}")


def judged_topics(
    assessments: object,
    locator: ElementLocator | None,
    only: object,
    topic_class: TopicClass = "all",
    recall_base: RecallBase = "full",
    scale: Scale | None = None,
) -> tuple[Assessments, Sequence[str] | None]:
    """Return the selected assessments and the requested topics, None for all.

    Raises: TypeError, AssessmentError; TopicError for a selection that names no topic; MeasureError for a topic class
        without topics, and for what needs an index.
    """
    judging = judging_of(topic_class, recall_base, scale)
    judged = judging.on_scale(assessments_of(assessments, may_judge_documents=True))
    return judging.chosen(judged, locator, selected(only, judged))


def judging_of(topic_class: object, recall_base: object, scale: object) -> Judging:
    """Return how judgements are read; raises TypeError, ArgumentError."""
    return Judging(
        arguments.choice("topic_class", topic_class, get_args(TopicClass)),
        arguments.choice("recall_base", recall_base, get_args(RecallBase)),
        None if scale is None else arguments.choice("scale", scale, get_args(Scale)),
    )


def selected(only: object, judged: Assessments) -> Sequence[str] | None:
    """Return the requested topic ids, from a list of ids or text such as "99,101-110"; None for all."""
    if only is None:
        return None
    if isinstance(only, str):
        return selected_ids(only, list(judged.topics))
    return arguments.texts("only", only)


def options_of(value: object) -> dict[str, Any]:
    """Return options of measures by name, lists of values as lists; raises TypeError."""
    options = arguments.mapping("options", value)
    return {name: list(each) if isinstance(each, tuple | range) else each for name, each in options.items()}
