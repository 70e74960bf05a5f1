"""Scores runs: runs x assessments x measures -> one table."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from engine.errors import MeasureError
from engine.runs import Ranking, Run, read_run
from eval.assessments import Assessments, Judgements, read_assessments
from eval.elements import with_elements, with_sizes
from eval.geometry import Geometry
from eval.measures.plan import Settings, Step, plan
from eval.measures.registry import Need, Scores, family
from eval.notices import caution_notices, relevance_notices, run_notices
from eval.placing import placed, with_offsets
from eval.table import Row, Table
from eval.tasks import TaskMeasures, task_measures

Missing: TypeAlias = Literal["zero", "skip"]


def score(
    assessments: Assessments | str | Path,
    runs: Sequence[Run | str | Path],
    measures: Sequence[str] | None = None,
    settings: Settings | None = None,
    *,
    task: str | None = None,
    geometry: Geometry | None = None,
    missing: Missing = "zero",
    topics: Sequence[str] | None = None,
) -> Table:
    """Return the table of every measure for every run.

    ::

        score("assessments/", ["a.xml", "b.xml"], ["hixeval", "inex_eval"], {"alpha": [0, 1], "quant": "strict"})

    Args:
        assessments: judgements, or the file or folder that holds them.
        runs: runs, or the files that hold them.
        measures: names of measure families; those of the task, or hixeval, if none is named.
        settings: options by name; a list of values asks for each of them (all combinations).
        task: ``Thorough``, ``Focussed`` or ``FetchBrowse``, which name measures and options (:mod:`eval.tasks`).
        geometry: what gives sizes and offsets where judgements or runs lack them, e.g. an open index.
        missing: ``zero`` scores every judged topic, those without results count 0; ``skip`` only the run's topics.
        topics: only these topics.

    A topic without relevance under a measure has no value, is left out of the mean and noticed; so are topics of a
    run that were not judged.

    Raises: MeasureError for an unknown family, option or topic, for what a measure cannot be computed from, and where
        no judged document occurs in any run.
    """
    if not isinstance(assessments, Assessments):
        assessments = read_assessments(assessments)
    steps = _steps(measures, settings or {}, task)
    labelled = label_runs([run if isinstance(run, Run) else read_run(run) for run in runs])
    judged = _judged_topics(assessments, topics)
    _require_common_documents(assessments, judged, labelled)
    results: dict[tuple[str, int], dict[str, Scores]] = {
        (label, n): {} for label in labelled for n in range(len(steps))
    }
    cautions: dict[tuple[str, int], Counter[str]] = {key: Counter() for key in results}
    for judgements in judged:
        prepared = _Prepared(judgements, geometry)
        for label, run in labelled.items():
            ranking = run.rankings.get(judgements.topic)
            if ranking is None and missing == "skip":
                continue
            rankings = _PreparedRanking(ranking or Ranking.ranked(judgements.topic, []), geometry)
            for n, step in enumerate(steps):
                scores, caution = _compute(step, rankings, prepared, geometry)
                results[label, n][judgements.topic] = scores
                cautions[label, n].update(caution)
    notices = [
        *assessments.notices,
        *run_notices(assessments, judged, labelled),
        *caution_notices(cautions),
        *relevance_notices(steps, results),
    ]
    return Table(_rows(labelled, steps, results), tuple(notices))


def label_runs(runs: Sequence[Run]) -> dict[str, Run]:
    """Return the runs by their id; runs that share one are told apart by their file, then by a number."""
    ids = Counter(run.run_id for run in runs)
    labelled: dict[str, Run] = {}
    for run in runs:
        label = run.run_id if ids[run.run_id] == 1 else f"{run.run_id} ({Path(run.source).name})"
        unique, number = label, 2
        while unique in labelled:
            unique, number = f"{label} #{number}", number + 1
        labelled[unique] = run
    return labelled


def _steps(measures: Sequence[str] | None, settings: Settings, task: str | None) -> list[Step]:
    """Return what to compute; what is asked for goes before what the task says."""
    preset = TaskMeasures(("hixeval",), {}) if task is None else task_measures(task)
    chosen = preset.measures if measures is None else measures
    known = {option.name for name in chosen for option in family(name).options}
    of_task = {name: value for name, value in preset.settings.items() if name in known}
    return plan(chosen, {**of_task, **settings})


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


def _rows(
    labelled: Mapping[str, Run], steps: Sequence[Step], results: Mapping[tuple[str, int], Mapping[str, Scores]]
) -> tuple[Row, ...]:
    rows = []
    for label in labelled:
        for n, step in enumerate(steps):
            topics = results[label, n]
            options = {name: value for name, value in step.options.items() if not isinstance(value, tuple)}
            names = dict.fromkeys(name for scores in topics.values() for name in scores)
            for name in names:
                values = {topic: scores.get(name) for topic, scores in topics.items()}
                is_detail = name.startswith(step.family.detail)
                rows.append(Row(label, step.family.name, name, options, values, is_detail))
    return tuple(rows)


def _judged_topics(assessments: Assessments, topics: Sequence[str] | None) -> list[Judgements]:
    """Return the judgements to be used, in the order of the assessments."""
    if topics is None:
        return list(assessments.topics.values())
    unknown = [topic for topic in topics if topic not in assessments.topics]
    if unknown:
        raise MeasureError(
            f"topic {unknown[0]!r} is not judged in {assessments.source}; "
            f"judged are {len(assessments.topics)} topics, the first {next(iter(assessments.topics))!r}."
        )
    return [assessments.topics[topic] for topic in dict.fromkeys(topics)]


def _require_common_documents(
    assessments: Assessments, judged: Sequence[Judgements], labelled: Mapping[str, Run]
) -> None:
    """Raise MeasureError unless some run returns a judged document for the topic it was judged for."""
    rankings = [run.rankings for run in labelled.values()]
    for judgements in judged:
        known = judgements.row_of_document
        if any(document in known for topics in rankings for document in _documents(topics, judgements.topic)):
            return
    topics = [topic for found in rankings for topic in found]
    if topics and not any(judgements.topic in found for judgements in judged for found in rankings):
        raise MeasureError(
            f"no topic of the runs is judged: they have topic {topics[0]!r}, {assessments.source} has topic "
            f"{judged[0].topic!r}."
        )
    documents = [document for found in rankings for ranking in found.values() for document in ranking.documents]
    judged_documents = [document for judgements in judged for document in judgements.documents]
    raise MeasureError(
        f"no judged document occurs in any run: {assessments.source} judges "
        f"{judged_documents[0] if judged_documents else 'none'!r}, the runs return "
        f"{documents[0] if documents else 'none'!r}. Do both name documents in the same way?"
    )


def _documents(rankings: Mapping[str, Ranking], topic: str) -> Sequence[str]:
    return rankings[topic].documents if topic in rankings else ()
