"""Inputs of the evaluation as callers give them: assessments, how they are read, runs, an index, tests; all checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

from engine.errors import MeasureError
from engine.runs import Run
from engine.topics import selected_ids
from eval import Assessments, read_assessments
from eval.judgements.judged_elements import with_elements, with_sizes
from eval.judgements.judgements import Scale
from eval.judgements.recall_base import RecallBase, topic_class, with_recall_base
from eval.statistics.significance_tests import RESAMPLES, SEED, Resampling, TestName
from eval.statistics.testing_options import SIGNIFICANCE_LEVEL, Correction, SignificanceTesting
from eval.text.element_locator import ElementLocator
from foxir import arguments
from foxir.arguments import PathLike

if TYPE_CHECKING:
    from foxir.searching.opened_index import Index

TopicClass: TypeAlias = Literal["all", "broad", "narrow"]


@dataclass(frozen=True)
class Judging:
    """The reading of judgements: their scale, the recall base, the class of topics.

    topic_class: topics whose most general answers are mostly whole articles (broad), or mostly parts of articles
        (narrow), or all topics.
    recall_base: the judged elements that count.
    scale: the scale of the grades; None for the scale of the file.
    """

    topic_class: TopicClass = "all"
    recall_base: RecallBase = "full"
    scale: Scale | None = None

    def on_scale(self, judged: Assessments) -> Assessments:
        """Return the judgements with their grades read on the named scale, where it is not the file's.

        Raises: MeasureError where the file contradicts: grades of 2002-2004 are not highlighted text, nor the reverse.
        """
        return _on_scale(judged, self.scale) if self.scale and self.scale != judged.scale else judged

    def chosen(
        self, judged: Assessments, locator: ElementLocator | None, topics: Sequence[str] | None
    ) -> tuple[Assessments, Sequence[str] | None]:
        """Return the judgements with the elements that count, and the topics of the class among some; None are all.

        Raises: MeasureError if no topic is of the class, or if an index is needed and not given.
        """
        if self.topic_class != "all" or self.recall_base != "full":
            judged = _complete(judged, self.recall_base, locator)
        if self.topic_class != "all":
            topics = _of_class(judged, self.topic_class, topics)
        if self.recall_base != "full":
            judged = _restricted(judged, self.recall_base)
        return judged, topics


def _on_scale(judged: Assessments, scale: Scale) -> Assessments:
    grades = ("2002", "2003")
    if (judged.scale in grades) != (scale in grades) and any(
        len(judgements.elements) or len(judgements.passages) for judgements in judged.topics.values()
    ):
        found = "grades of 2002-2004" if judged.scale in grades else "highlighted text of 2005 on"
        raise MeasureError(f"{judged.source}: its judgements are {found}, they cannot be read on the scale of {scale}.")
    topics = {topic: replace(judgements, scale=scale) for topic, judgements in judged.topics.items()}
    return replace(judged, scale=scale, topics=topics)


def _complete(judged: Assessments, recall_base: RecallBase, locator: ElementLocator | None) -> Assessments:
    """Return the judgements with all judged elements, and with their sizes where the recall base asks for them."""
    topics = {topic: with_elements(judgements, locator) for topic, judgements in judged.topics.items()}
    if recall_base == "bep":
        topics = {topic: with_sizes(judgements, locator) for topic, judgements in topics.items()}
    return replace(judged, topics=topics)


def _of_class(judged: Assessments, wanted: str, topics: Sequence[str] | None) -> list[str]:
    """Return the topics of one class among all or the requested topics."""
    asked = list(judged.topics) if topics is None else topics
    chosen = [topic for topic in asked if topic_class(judged.topics[topic]) == wanted]
    if not chosen:
        raise MeasureError(f"{judged.source}: none of the {len(asked)} topics is {wanted}.")
    return chosen


def _restricted(judged: Assessments, recall_base: RecallBase) -> Assessments:
    """Return the judgements with the elements of one recall base."""
    topics = {topic: with_recall_base(judgements, recall_base) for topic, judgements in judged.topics.items()}
    return replace(judged, topics=topics)


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


def significance_testing(
    test: object,
    correction: object,
    level: object = SIGNIFICANCE_LEVEL,
    resamples: object = RESAMPLES,
    seed: object = SEED,
) -> SignificanceTesting:
    """Return the checked options of a significance test; raises TypeError, ArgumentError."""
    return SignificanceTesting(
        arguments.choice("test", test, get_args(TestName)),
        arguments.choice("correction", correction, get_args(Correction)),
        arguments.share("level", level),
        Resampling(arguments.resamples(resamples), arguments.seed(seed)),
    )
