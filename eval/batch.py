"""Scores some runs beside each other, topic by topic, so that each topic is prepared once for all of them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from engine.runs import Ranking, Run, read_run
from eval.assessments import Assessments, Judgements
from eval.elements import with_elements, with_sizes
from eval.geometry import Geometry
from eval.measures.plan import Settings, Step, plan
from eval.measures.registry import Need, Scores
from eval.notices import run_notices
from eval.placing import placed, with_offsets, within_reach

Missing: TypeAlias = Literal["zero", "skip"]


@dataclass(frozen=True)
class Task:
    """What runs are scored against, and with which measures; all of it can go to another process."""

    assessments: Assessments
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    settings: Settings
    geometry: Geometry | None
    missing: Missing

    @property
    def judged(self) -> list[Judgements]:
        """The judgements of the topics that are asked for."""
        return [self.assessments.topics[topic] for topic in self.topics]

    @property
    def steps(self) -> list[Step]:
        """What is computed of each topic of each run."""
        return plan(self.measures, self.settings)


@dataclass(frozen=True)
class RunScores:
    """What one run scored, and what is to be told of it, before it has a name among others.

    ``scores`` and ``cautions`` have an entry for each step, scores by topic. ``is_judged`` tells whether some judged
    document is returned for its topic; ``topic`` and ``document`` are the first of the run.
    """

    run_id: str
    source: str
    scores: tuple[Mapping[str, Scores], ...]
    cautions: tuple[Counter[str], ...]
    notices: tuple[str, ...]
    is_judged: bool
    has_judged_topic: bool
    topic: str | None
    document: str | None


def score_batch(task: Task, runs: Sequence[Run | str | Path], *, is_all: bool) -> list[RunScores]:
    """Return the scores of some runs, in their order.

    Where these are all runs there are and none returns a judged document, they are not scored. Raises: FoxirError for
    a run that cannot be read or scored.
    """
    read = [run if isinstance(run, Run) else read_run(run) for run in runs]
    judged, steps = task.judged, task.steps
    common = [any(_is_met(run, judgements) for judgements in judged) for run in read]
    scores: list[list[dict[str, Scores]]] = [[{} for _ in steps] for _ in read]
    cautions: list[list[Counter[str]]] = [[Counter() for _ in steps] for _ in read]
    for judgements in judged if any(common) or not is_all else ():
        prepared = _Prepared(judgements, task.geometry)
        for number, run in enumerate(read):
            ranking = run.rankings.get(judgements.topic)
            if ranking is None and task.missing == "skip":
                continue
            ranking = within_reach(ranking or Ranking.ranked(judgements.topic, []))
            rankings = _PreparedRanking(ranking, task.geometry)
            for n, step in enumerate(steps):
                found, caution = _compute(step, rankings, prepared, task.geometry)
                scores[number][n][judgements.topic] = found
                cautions[number][n].update(caution)
    return [
        RunScores(
            run.run_id,
            run.source,
            tuple(scores[number]),
            tuple(cautions[number]),
            tuple(run_notices(run, task.assessments, judged)),
            common[number],
            any(judgements.topic in run.rankings for judgements in judged),
            next(iter(run.rankings), None),
            next((document for ranking in run.rankings.values() for document in ranking.documents), None),
        )
        for number, run in enumerate(read)
    ]


def _is_met(run: Run, judgements: Judgements) -> bool:
    """Return whether a run returns a judged document for the topic it was judged for."""
    ranking = run.rankings.get(judgements.topic)
    return ranking is not None and not judgements.row_of_document.keys().isdisjoint(ranking.documents)


@dataclass
class _Prepared:
    """The judgements of one topic, completed for what the measures need; each completion is made once."""

    judgements: Judgements
    geometry: Geometry | None
    made: dict[tuple[Need, ...], Judgements] = field(default_factory=dict)

    def for_needs(self, needs: tuple[Need, ...]) -> Judgements:
        if needs not in self.made:
            completed = self.judgements
            if "elements" in needs:
                completed = with_elements(completed, self.geometry)
            if "sizes" in needs:
                completed = with_sizes(completed, self.geometry)
            if "offsets" in needs:
                completed = with_offsets(completed, self.geometry)
            self.made[needs] = completed
        return self.made[needs]


@dataclass
class _PreparedRanking:
    """One ranking, and the same with offsets once a measure has asked for them."""

    ranking: Ranking
    geometry: Geometry | None
    with_offsets: Ranking | None = None

    def for_needs(self, needs: tuple[Need, ...]) -> Ranking:
        if "offsets" not in needs:
            return self.ranking
        if self.with_offsets is None:
            self.with_offsets = placed(self.ranking, self.geometry)
        return self.with_offsets


def _compute(
    step: Step, rankings: _PreparedRanking, prepared: _Prepared, geometry: Geometry | None
) -> tuple[Scores, Mapping[str, int]]:
    """Return the scores of one topic of one run, and what to tell about them."""
    needs = step.family.needs(step.options)
    ranking, judgements = rankings.for_needs(needs), prepared.for_needs(needs)
    caution = step.family.caution(ranking, judgements, geometry) if step.family.caution else {}
    return step.family.function(ranking, judgements, geometry, **step.options), caution
