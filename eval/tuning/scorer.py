"""One measure, ready to score runs topic by topic."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.errors import MeasureError
from engine.runs import Run
from eval.assessments import Assessments
from eval.batch import Task, score_batch
from eval.geometry import Geometry
from eval.measure_names import measure_name
from eval.measures import Settings, Value, family
from eval.measures.plan import plan


@dataclass(frozen=True)
class Scorer:
    """A measure of a family under one set of options, and what to score against; it can go to another process."""

    assessments: Assessments
    family: str
    measure: str
    settings: Settings
    options: Mapping[str, Value]
    geometry: Geometry | None

    @property
    def needs_offsets(self) -> bool:
        """Whether results are scored by where they lie in the text."""
        return "offsets" in family(self.family).needs(self.options)

    def scores(self, runs: Sequence[Run], topics: Sequence[str]) -> tuple[list[list[float | None]], bool]:
        """Return a value a topic for every run, None without relevance; and whether some run returns a judged document.

        Raises: FoxirError where the measure cannot be computed.
        """
        found = score_batch(self._task(topics), runs, is_all=False)
        values = [[run.scores[0][topic].get(self.measure) for topic in topics] for run in found]
        return values, any(run.is_judged for run in found)

    def refuse_unknown_measure(self) -> None:
        """Raise MeasureError if the family has no such measure."""
        topic = next(iter(self.assessments.topics))
        there = score_batch(self._task([topic]), [Run("", {})], is_all=False)[0].scores[0][topic]
        if self.measure not in there:
            shown = [name for name in there if not name.startswith(family(self.family).detail)]
            raise MeasureError(f"{self.family} has no measure {self.measure!r}; it has: {', '.join(shown)}.")

    def _task(self, topics: Sequence[str]) -> Task:
        return Task(self.assessments, tuple(topics), (self.family,), self.settings, self.geometry, "zero")


def scorer(
    assessments: Assessments, measure: str, settings: Settings | None = None, geometry: Geometry | None = None
) -> Scorer:
    """Return what scores by a measure, named as :func:`eval.measure_names.measure_name` reads it.

    Raises: MeasureError for an unknown measure or option, one of which less is better, and where the options ask for
    several measures.
    """
    if not assessments.topics:
        raise MeasureError(f"{assessments.source}: no topic is judged, nothing can be tuned.")
    name = measure_name(measure)
    if name.family.name == "overlap":
        raise MeasureError(f"{measure}: less overlap is better, and tuning looks for more: tune by another measure.")
    asked = dict(settings or {})
    if name.rank_option is not None and name.rank is not None:
        asked[name.rank_option] = (name.rank,)
    steps = plan([name.family.name], asked)
    if len(steps) > 1:
        raise MeasureError(
            f"settings are tuned by one measure, but these are {len(steps)}: {', '.join(map(str, steps))}. Give one "
            "value for each option."
        )
    found = Scorer(assessments, name.family.name, name.measure, asked, steps[0].options, geometry)
    found.refuse_unknown_measure()
    return found
