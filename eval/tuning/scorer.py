"""Scores runs topic by topic under one measure, the objective of tuning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.errors import MeasureError
from engine.notices import Notice
from engine.runs import Run
from eval.judgements.judgements import Assessments
from eval.measures import OptionValue
from eval.measures.measure_plan import PlannedMeasure
from eval.scoring.batch import score_batch
from eval.scoring.notices import judged_index_notices
from eval.scoring.request import ScoringRequest


@dataclass(frozen=True)
class MeasureScorer:
    """A scoring request for exactly one measure of which more is better; it can be pickled.

    Raises: MeasureError for several measures, for a measure that does not exist, for overlap (less is better), for
        judgements without topics, and for the index of another collection.
    """

    request: ScoringRequest

    def __post_init__(self) -> None:
        plan, source = self.request.plan, self.assessments.source
        if not self.assessments.topics:
            raise MeasureError(f"{source}: no topic is judged, nothing can be tuned.")
        if len(plan) != 1 or len(plan[0].measures) != 1:
            names = [f"{planned}:{','.join(planned.measures)}".rstrip(":") for planned in plan]
            raise MeasureError(
                f"settings are tuned by one measure, but {len(plan)} are requested or a family is: {', '.join(names)}. "
                "Name one measure, and one value for each option."
            )
        if self.family == "overlap":
            raise MeasureError(
                f"{self.measure}: less overlap is better, but tuning maximises its measure: choose another measure."
            )
        self.index_notices()
        topic = next(iter(self.assessments.topics))
        empty = score_batch(self._request([topic]), [Run("", {})], is_all=False, with_notices=False)[0]
        self._planned.requested(empty.scores[0][topic])

    def index_notices(self) -> list[Notice]:
        """Return the notice of relevant documents that the index lacks; raises MeasureError if it lacks all of them."""
        return judged_index_notices(self.request)

    @property
    def assessments(self) -> Assessments:
        """The judgements."""
        return self.request.assessments

    @property
    def family(self) -> str:
        """Name of the family of the measure."""
        return self._planned.family.name

    @property
    def measure(self) -> str:
        """Name of the measure within its family."""
        return self._planned.measures[0]

    @property
    def options(self) -> Mapping[str, OptionValue]:
        """All options of the family with their values."""
        return self._planned.options

    @property
    def requires_offsets(self) -> bool:
        """Whether results are scored by their character offsets."""
        return "offsets" in self._planned.family.requires(self.options)

    def scores(self, runs: Sequence[Run], topics: Sequence[str]) -> tuple[list[list[float | None]], bool]:
        """Return for every run the value of each topic, None without relevance; and whether a judged document is found.

        Raises: FoxirError where the measure cannot be computed.
        """
        found = score_batch(self._request(topics), runs, is_all=False, with_notices=False)
        values = [[run.scores[0][topic].get(self.measure) for topic in topics] for run in found]
        return values, any(run.is_judged for run in found)

    @property
    def _planned(self) -> PlannedMeasure:
        return self.request.plan[0]

    def _request(self, topics: Sequence[str]) -> ScoringRequest:
        return replace(self.request, topics=tuple(topics))
