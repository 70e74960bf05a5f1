"""A request for scores: judgements, measures with options, topics; checked once, then passed to every stage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Self, TypeAlias, get_args

from engine.errors import MeasureError
from engine.progress import Progress
from engine.wording import shown
from eval.judgements.formats.read import read_assessments
from eval.judgements.judgements import Assessments, Judgements
from eval.measures.measure_names import document_measures, measure_name, translated
from eval.measures.measure_plan import MeasureOptions, PlannedMeasure, TaskMeasures, plan, task_measures
from eval.text.element_locator import ElementLocator

# Scores of judged topics that a run does not answer: 0, or not counted in the run's mean.
Missing: TypeAlias = Literal["zero", "skip"]

# Called with the stage, the number of items done and the number of all items.

# Measure families that are scored if neither measures nor a task are named.
DEFAULT_MEASURES = ("hixeval",)
# Those if families that cannot be computed for some run are left out.
USUAL = ("hixeval", "inex_eval")
# Families that need no judged text, so that TREC qrels suffice; the first is scored by default then.
DOCUMENT_FAMILIES = ("trec", "trec_eval", "overlap")


@dataclass(frozen=True)
class ScoringRequest:
    """The input of scoring besides the runs.

    A request is checked when it is made and can be pickled without its progress callback (:meth:`for_worker`).

    Attributes:
        assessments: the judgements.
        measures: families (``hixeval``) or single measures (``AP``, ``nxCG@10``, ``inex_eval:AP``).
        options: measure options by name; a list of values requests each of them, all combinations.
        topics: ids of judged topics.
        locator: gives sizes and offsets that judgements or runs lack, e.g. an open index.
        missing: ``zero`` scores every topic, those without results as 0; ``skip`` only the topics of the run.
        jobs: number of processes; the scores do not depend on it.
        may_leave_out: families that cannot be computed for some run are left out for all, as nobody named them.
        progress: callback.

    Raises: MeasureError for an unknown measure, option or topic, and for invalid option values.
    """

    assessments: Assessments
    measures: tuple[str, ...]
    options: MeasureOptions
    topics: tuple[str, ...]
    locator: ElementLocator | None = None
    missing: Missing = "zero"
    jobs: int = 1
    may_leave_out: bool = False
    progress: Progress | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise ValueError(f"jobs={self.jobs}: expected 1 or more.")
        if self.missing not in get_args(Missing):
            raise MeasureError(f"missing={self.missing!r}: expected one of {', '.join(get_args(Missing))}.")
        unknown = [topic for topic in self.topics if topic not in self.assessments.topics]
        if unknown:
            raise MeasureError(
                f"topic {shown(unknown[0])} is not judged in {self.assessments.source}; it judges "
                f"{len(self.assessments.topics)} topics, the first is {next(iter(self.assessments.topics))!r}."
            )
        planned = plan(self.measures, self.options)
        needing_text = [each.family.name for each in planned if each.family.name not in DOCUMENT_FAMILIES]
        if self.assessments.scale == "trec" and needing_text:
            *others, last = DOCUMENT_FAMILIES
            raise MeasureError(
                f"{self.assessments.source}: TREC qrels judge whole documents, {needing_text[0]} measures text: use "
                f"{', '.join(others)} or {last}, such as trec:AP, trec:P@10, trec:R@10, trec:nDCG@5."
            )

    @classmethod
    def of(
        cls,
        assessments: Assessments | str | Path,
        measures: Sequence[str] | None = None,
        options: MeasureOptions | None = None,
        *,
        task: str | None = None,
        topics: Sequence[str] | None = None,
        locator: ElementLocator | None = None,
        missing: Missing = "zero",
        jobs: int = 1,
        may_leave_out: bool = False,
        progress: Progress | None = None,
    ) -> Self:
        """Return a request with defaults filled in.

        Args:
            assessments: judgements, or the file or folder that contains them.
            measures: as the attribute; those of the task, or the usual ones, if not given.
            task: such as ``Focussed`` (:mod:`eval.measures.measure_plan`); options given explicitly override its own.
            topics: all judged topics if not given.
        """
        found = (
            assessments
            if isinstance(assessments, Assessments)
            else read_assessments(assessments, may_judge_documents=True)
        )
        usual = DOCUMENT_FAMILIES[:1] if found.scale == "trec" else USUAL if may_leave_out else DEFAULT_MEASURES
        preset = TaskMeasures(usual, {}) if task is None else task_measures(task)
        names = translated(tuple(preset.measures if measures is None else measures))
        if found.scale == "trec":
            names = document_measures(names)
        known = {option.name for name in names for option in measure_name(name).family.options}
        return cls(
            found,
            names,
            {**{name: value for name, value in preset.options.items() if name in known}, **(options or {})},
            tuple(found.topics) if topics is None else tuple(dict.fromkeys(topics)),
            locator,
            missing,
            jobs,
            may_leave_out,
            progress,
        )

    def for_worker(self) -> Self:
        """Return the request as another process gets it: without the progress callback."""
        return replace(self, progress=None, jobs=1)

    @property
    def judged(self) -> list[Judgements]:
        """The judgements of the requested topics."""
        return [self.assessments.topics[topic] for topic in self.topics]

    @property
    def text_locator(self) -> ElementLocator | None:
        """The locator if any of the measures scores text; else None, as whole documents need none."""
        families = {planned.family.name for planned in self.plan}
        return None if families <= set(DOCUMENT_FAMILIES) else self.locator

    @property
    def plan(self) -> list[PlannedMeasure]:
        """The families to compute, one entry for each combination of option values."""
        return plan(self.measures, self.options)
