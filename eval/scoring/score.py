"""Scores runs against judgements: one table of every measure of every run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TypeVar

from engine.errors import ArgumentError, MeasureError, ended_worker
from engine.notices import Notice, about
from engine.runs import Run
from engine.system.worker_processes import in_order, worker_processes
from engine.wording import shown
from eval.measures.measure_plan import PlannedMeasure
from eval.scoring.batch import RunScores, initialise, score_batch, score_part
from eval.scoring.notices import (
    NAMED_ALIKE,
    grade_notices,
    judged_index_notices,
    refusal_notices,
    relevance_notices,
    warning_notices,
)
from eval.scoring.request import ScoringRequest
from eval.scoring.score_table import ScoreRow, ScoreTable

# Runs that a process keeps in memory at the same time.
BATCH = 10


def score_runs(request: ScoringRequest, runs: Sequence[Run | str | Path]) -> ScoreTable:
    """Return the scores of runs, or of the files that contain them.

    A topic without relevance under a measure has no value there and is excluded from its mean; such topics, and topics
    of a run that were not judged, are listed in the notices.

    Raises: MeasureError where a measure cannot be computed, if no run returns a judged document, and if no relevant
        document is in the index. ArgumentError without a run.
    """
    if not runs:
        raise ArgumentError("runs: no run given: expected a run, the file of one, or several.")
    index_notices = judged_index_notices(request)
    scored: list[RunScores] = []
    for part in _batches(request, runs):
        scored.extend(part)
        if request.progress is not None:
            request.progress("scoring", len(scored), len(runs))
    _require_judged_documents(request, scored)
    plan, labelled, left_out = request.plan, label_runs(scored), list[Notice]()
    if request.may_leave_out:
        plan, labelled, left_out = _without_refused(plan, labelled)
    notices = [
        *request.assessments.notices,
        *index_notices,
        *(about(label, notice) for label, found in labelled.items() for notice in found.notices),
        *(notice for label, found in labelled.items() for notice in warning_notices(label, found.warnings)),
        *(notice for label, found in labelled.items() for notice in refusal_notices(label, found.refusals)),
        *left_out,
        *grade_notices(plan, request.judged),
        *relevance_notices(plan, [found.scores for found in labelled.values()]),
    ]
    settings = {label: found.settings for label, found in labelled.items() if found.settings}
    return ScoreTable(tuple(_rows(labelled, plan)), tuple(notices), settings)


def _batches(request: ScoringRequest, runs: Sequence[Run | str | Path]) -> Iterator[list[RunScores]]:
    """Yield the scores of one batch of runs after another, in the order of the runs."""
    size = max(1, min(BATCH, -(-len(runs) // request.jobs)))
    batches = [runs[first : first + size] for first in range(0, len(runs), size)]
    if request.jobs == 1 or len(batches) == 1:
        for batch in batches:
            yield score_batch(request, batch, is_all=len(batches) == 1)
        return
    jobs = min(request.jobs, len(batches))
    try:
        with worker_processes(jobs, score_part.__module__, initialise, request.for_worker()) as start:
            yield from in_order(start, jobs, score_part, batches)
    except BrokenProcessPool:
        raise ended_worker() from None


class _Named(Protocol):
    """A run or its scores."""

    @property
    def run_id(self) -> str:
        """Id of the run."""

    @property
    def source(self) -> str:
        """File that the run was read from."""


NamedRun = TypeVar("NamedRun", bound=_Named)


def label_runs(runs: Sequence[NamedRun]) -> dict[str, NamedRun]:
    """Return the runs by a unique label: their id, with their file and then a number where ids are equal."""
    ids = Counter(run.run_id for run in runs)
    labelled: dict[str, NamedRun] = {}
    for run in runs:
        label = run.run_id if ids[run.run_id] == 1 else f"{run.run_id} ({Path(run.source).name})"
        unique, number = label, 2
        while unique in labelled:
            unique, number = f"{label} #{number}", number + 1
        labelled[unique] = run
    return labelled


def _rows(labelled: Mapping[str, RunScores], plan: Sequence[PlannedMeasure]) -> Iterator[ScoreRow]:
    """Yield the rows of the table.

    A run for which a family cannot be computed has the rows of the other runs, without values.
    """
    of_family = [
        dict.fromkeys(name for run in labelled.values() for values in run.scores[n].values() for name in values)
        for n in range(len(plan))
    ]
    for label, found in labelled.items():
        for n, (planned, topics) in enumerate(zip(plan, found.scores, strict=True)):
            options = {name: value for name, value in planned.options.items() if not isinstance(value, tuple)}
            computed = dict.fromkeys(name for values in topics.values() for name in values)
            computed = of_family[n] if found.refusals[n] else computed
            for name in planned.requested(computed) if computed else ():
                values = {topic: scores.get(name) for topic, scores in topics.items()}
                is_detail = name.startswith(planned.family.detail) and not planned.measures
                yield ScoreRow(label, planned.family.name, name, options, values, is_detail)


def _require_judged_documents(request: ScoringRequest, scored: Sequence[RunScores]) -> None:
    """Raise MeasureError unless a run returns a document judged for its topic."""
    if any(found.is_judged for found in scored):
        return
    source = request.assessments.source
    topics = [found.topic for found in scored if found.topic is not None]
    if topics and request.topics and not any(found.has_judged_topic for found in scored):
        raise MeasureError(
            f"no topic of the runs is judged: they have topic {topics[0]!r}, {source} has topic {request.topics[0]!r}."
        )
    judged = next((document for judgements in request.judged for document in judgements.documents), "none")
    returned = next((found.document for found in scored if found.document is not None), None)
    if returned is None:
        raise MeasureError(f"the runs have no results, so nothing can be scored; {source} judges {shown(judged)}.")
    found = f"{source} judges {shown(judged)}, the runs return {shown(returned)}"
    raise MeasureError(f"no judged document occurs in any run: {found}. {NAMED_ALIKE}")


def _without_refused(
    plan: Sequence[PlannedMeasure], labelled: Mapping[str, RunScores]
) -> tuple[list[PlannedMeasure], dict[str, RunScores], list[Notice]]:
    """Return a plan and the scores of runs without families that cannot be computed for some run, with their notices.

    Where no family can be computed for all runs, nothing is left out.
    """
    kept = [n for n in range(len(plan)) if not any(found.refusals[n] for found in labelled.values())]
    if not kept:
        return list(plan), dict(labelled), []
    notices = [_left_out(planned, n, labelled) for n, planned in enumerate(plan) if n not in kept]
    remaining = {
        label: replace(
            found,
            scores=tuple(found.scores[n] for n in kept),
            warnings=tuple(found.warnings[n] for n in kept),
            refusals=tuple(found.refusals[n] for n in kept),
        )
        for label, found in labelled.items()
    }
    return [plan[n] for n in kept], remaining, list(dict.fromkeys(notices))


def _left_out(planned: PlannedMeasure, number: int, labelled: Mapping[str, RunScores]) -> Notice:
    refusals = {label: found.refusals[number] for label, found in labelled.items() if found.refusals[number]}
    refusal = next(iter(refusals.values()))
    reason = refusal.fields["reason"] if isinstance(refusal, Notice) else refusal
    has_others = len(refusals) < len(labelled)
    return Notice("left_out", {"family": planned.family.name, "reason": reason, "has_others": has_others})
