"""Scores runs: runs x assessments x measures -> one table."""

import multiprocessing
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Protocol, TypeAlias, TypeVar

from engine.errors import MeasureError
from engine.runs import Run
from eval import worker
from eval.assessments import Assessments, read_assessments
from eval.batch import Missing, RunScores, Task, score_batch
from eval.geometry import Geometry
from eval.measures.plan import Settings, Step, plan
from eval.measures.registry import family
from eval.notices import caution_notices, relevance_notices, under_name
from eval.table import Row, Table
from eval.tasks import TaskMeasures, task_measures

__all__ = ["Missing", "Progress", "label_runs", "score"]

BATCH = 10
"""Runs that are held in memory together, by each process."""

Progress: TypeAlias = Callable[[str, int, int], None]
"""What is told of how far scoring has come: the stage, the runs done, all runs."""


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
    jobs: int = 1,
    progress: Progress | None = None,
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
        jobs: processes that score at the same time; the table is the same whatever their number.
        progress: is told how far it is.

    A topic without relevance under a measure has no value, is left out of the mean and noticed; so are topics of a
    run that were not judged.

    Raises: MeasureError for an unknown family, option or topic, for what a measure cannot be computed from, and where
        no judged document occurs in any run.
    """
    if jobs < 1:
        raise ValueError(f"jobs={jobs}: expected 1 or more.")
    if not isinstance(assessments, Assessments):
        assessments = read_assessments(assessments)
    names, options = _asked(measures, settings or {}, task)
    steps = plan(names, options)
    work = Task(assessments, _chosen_topics(assessments, topics), names, options, geometry, missing)
    scored = []
    for found in _scored(work, runs, jobs):
        scored.extend(found)
        if progress is not None:
            progress("scoring", len(scored), len(runs))
    _require_common_documents(work, scored)
    labelled = label_runs(scored)
    results = {(label, n): found.scores[n] for label, found in labelled.items() for n in range(len(steps))}
    cautions = {(label, n): found.cautions[n] for label, found in labelled.items() for n in range(len(steps))}
    notices = [
        *assessments.notices,
        *(under_name(label, notice) for label, found in labelled.items() for notice in found.notices),
        *caution_notices(cautions),
        *relevance_notices(steps, results),
    ]
    return Table(tuple(_rows(labelled, steps)), tuple(notices))


def _scored(work: Task, runs: Sequence[Run | str | Path], jobs: int) -> Iterator[list[RunScores]]:
    """Yield the scores of some runs after the other, in their order."""
    size = max(1, min(BATCH, -(-len(runs) // jobs)))
    batches = [runs[first : first + size] for first in range(0, len(runs), size)]
    if jobs == 1 or len(batches) == 1:
        for batch in batches:
            yield score_batch(work, batch, is_all=len(batches) == 1)
        return
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["eval.worker"])
    pool = ProcessPoolExecutor(min(jobs, len(batches)), context, worker.begin, (work,))
    try:
        yield from pool.map(worker.scored, batches)
    except BrokenProcessPool:
        raise MeasureError(
            "a worker process ended while it scored runs, perhaps for want of memory: use fewer processes (--jobs 1)."
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


class _Named(Protocol):
    """A run, or what it scored."""

    @property
    def run_id(self) -> str:
        """What the run calls itself."""

    @property
    def source(self) -> str:
        """The file it was read from."""


NamedRun = TypeVar("NamedRun", bound=_Named)


def label_runs(runs: Sequence[NamedRun]) -> dict[str, NamedRun]:
    """Return the runs by their id; runs that share one are told apart by their file, then by a number."""
    ids = Counter(run.run_id for run in runs)
    labelled: dict[str, NamedRun] = {}
    for run in runs:
        label = run.run_id if ids[run.run_id] == 1 else f"{run.run_id} ({Path(run.source).name})"
        unique, number = label, 2
        while unique in labelled:
            unique, number = f"{label} #{number}", number + 1
        labelled[unique] = run
    return labelled


def _asked(measures: Sequence[str] | None, settings: Settings, task: str | None) -> tuple[tuple[str, ...], Settings]:
    """Return the families and options to compute; what is asked for goes before what the task says."""
    preset = TaskMeasures(("hixeval",), {}) if task is None else task_measures(task)
    chosen = preset.measures if measures is None else measures
    known = {option.name for name in chosen for option in family(name).options}
    of_task = {name: value for name, value in preset.settings.items() if name in known}
    return tuple(chosen), {**of_task, **settings}


def _rows(labelled: Mapping[str, RunScores], steps: Sequence[Step]) -> Iterator[Row]:
    for label, found in labelled.items():
        for step, topics in zip(steps, found.scores, strict=True):
            options = {name: value for name, value in step.options.items() if not isinstance(value, tuple)}
            for name in dict.fromkeys(name for scores in topics.values() for name in scores):
                values = {topic: scores.get(name) for topic, scores in topics.items()}
                yield Row(label, step.family.name, name, options, values, name.startswith(step.family.detail))


def _chosen_topics(assessments: Assessments, topics: Sequence[str] | None) -> tuple[str, ...]:
    """Return the topics to be used, all in the order of the assessments if none are named."""
    if topics is None:
        return tuple(assessments.topics)
    unknown = [topic for topic in topics if topic not in assessments.topics]
    if unknown:
        raise MeasureError(
            f"topic {unknown[0]!r} is not judged in {assessments.source}; "
            f"judged are {len(assessments.topics)} topics, the first {next(iter(assessments.topics))!r}."
        )
    return tuple(dict.fromkeys(topics))


def _require_common_documents(work: Task, scored: Sequence[RunScores]) -> None:
    """Raise MeasureError unless some run returns a judged document for the topic it was judged for."""
    if any(found.is_judged for found in scored):
        return
    topics = [found.topic for found in scored if found.topic is not None]
    if topics and work.topics and not any(found.has_judged_topic for found in scored):
        raise MeasureError(
            f"no topic of the runs is judged: they have topic {topics[0]!r}, {work.assessments.source} has topic "
            f"{work.topics[0]!r}."
        )
    judged = next((document for judgements in work.judged for document in judgements.documents), "none")
    returned = next((found.document for found in scored if found.document is not None), "none")
    raise MeasureError(
        f"no judged document occurs in any run: {work.assessments.source} judges {judged!r}, the runs return "
        f"{returned!r}. Do both name documents in the same way?"
    )
