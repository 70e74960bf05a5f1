"""Fidelity of HiXEval: whether it ranks simulated runs, derived from the judgements, in the expected order.

Source: Pehcevski, thesis, 5.2, tables 5.3 and 5.4. Expected of HiXEval:

* the highlighted passages score best;
* with overlap penalised, the best entry points (BEP) are next, before all runs that return text twice;
* with overlap allowed, the full recall base (FullRB) is the best of the element runs;
* for users who want best entry points without overlap, BEP is the best of the element runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from engine.runs import Ranking, Run
from eval.conversion import selected
from eval.judgements.formats.read import read_assessments
from eval.judgements.judged_elements import with_elements, with_sizes
from eval.judgements.judgements import Assessments
from eval.judgements.recall_base import RecallBase, with_recall_base
from eval.output.tables import Column, PrintableResult, PrintedTable
from eval.output.tables.score_tables import mean_tables
from eval.scoring.request import ScoringRequest
from eval.scoring.score import score_runs
from eval.scoring.score_table import ScoreRow, ScoreTable
from eval.simulation import NAMES, SimulatedKind, simulated_run
from eval.statistics.run_comparison import significance_marks
from eval.text.element_locator import ElementLocator
from eval.text.paths import DisjointPaths

CUTOFFS = (10, 25, 50)
PASSAGES = NAMES["passage"][0]


@dataclass(frozen=True)
class FidelityTask:
    """A scenario of use: name, share of already returned text that is discounted (alpha), and meaning."""

    name: str
    alpha: float
    meaning: str


FIDELITY_TASKS = (
    FidelityTask("overlap penalised", 1.0, "all relevant elements; already returned text earns no credit"),
    FidelityTask("overlap allowed", 0.0, "all relevant elements; already returned text counts again"),
    FidelityTask("user", 1.0, "overlap removed from the runs; of the judged elements only the best entry points count"),
)


@dataclass(frozen=True, repr=False)
class Fidelity(PrintableResult):
    """The scores of the seven simulated runs under each task, and their numbers of results."""

    source: str
    scores: Mapping[str, ScoreTable]
    results: Mapping[str, Mapping[str, int]]

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"source", "tasks": {name: {"results", "runs": [...]}}}``."""
        return {
            "source": self.source,
            "tasks": {
                name: {"results": dict(self.results[name]), **table.to_dict()} for name, table in self.scores.items()
            },
        }

    def tables(self) -> tuple[PrintedTable, ...]:
        """Return a table for each task; significance marks compare with the passages."""
        tables = []
        for task in FIDELITY_TASKS:
            table = self.scores[task.name]
            scores = mean_tables(table, marks=significance_marks(table, baseline=PASSAGES))[0]
            counts = [self.results[task.name][str(row[0].value)] for row in scores.rows]
            tables.append(
                PrintedTable.of(
                    f"Task: {task.name}",
                    [scores.columns[0], Column("results", 0), *scores.columns[1:]],
                    [[row[0], count, *row[1:]] for row, count in zip(scores.rows, counts, strict=True)],
                    notes=[f"Recall base: {task.meaning}.", *scores.notes],
                )
            )
        return tuple(tables)

    def means(self, task: str, measure: str) -> dict[str, float]:
        """Return the mean of a measure for every run under a task."""
        return {row.run: row.value or 0.0 for row in self.scores[task].select(measure=measure).rows}


def fidelity(assessments: Assessments | str | Path, *, locator: ElementLocator | None = None) -> Fidelity:
    """Return the HiXEval scores of the seven simulated runs under the three tasks.

    The passage run is scored against the highlighted passages under every task; it has no overlap.

    Raises: MeasureError if elements, sizes or offsets are missing and no locator is given.
    """
    found = assessments if isinstance(assessments, Assessments) else read_assessments(assessments)
    full = _each(found, locator, "full")
    best = _each(found, locator, "bep")
    kinds: Sequence[SimulatedKind] = get_args(SimulatedKind)
    passages, *elements = [simulated_run(full, kind, locator=locator) for kind in kinds]
    without_overlap = [_without_overlap(run) for run in elements]
    of_passages = _score(full, [passages], 1.0, locator)
    chosen = {
        FIDELITY_TASKS[0].name: (full, elements),
        FIDELITY_TASKS[1].name: (full, elements),
        FIDELITY_TASKS[2].name: (best, without_overlap),
    }
    tables, results = {}, {}
    for task in FIDELITY_TASKS:
        base, runs = chosen[task.name]
        rows = [*of_passages, *_score(base, runs, task.alpha, locator)]
        tables[task.name] = ScoreTable(tuple(replace(row, options={}) for row in rows))
        results[task.name] = {run.run_id: run.n_results for run in (passages, *runs)}
    return Fidelity(found.source, tables, results)


def overlap_removed(ranking: Ranking) -> Ranking:
    """Return the ranking without elements that overlap a higher-ranked one."""
    kept: list[int] = []
    chosen: dict[str, DisjointPaths] = {}
    for i, (document, path) in enumerate(zip(ranking.documents, ranking.paths, strict=True)):
        if path is None:
            raise ValueError(f"result {i + 1} of topic {ranking.topic!r} is not an element")
        if chosen.setdefault(document, DisjointPaths()).add(path):
            kept.append(i)
    return selected(ranking, kept)


def _without_overlap(run: Run) -> Run:
    return replace(run, rankings={topic: overlap_removed(ranking) for topic, ranking in run.rankings.items()})


def _each(assessments: Assessments, locator: ElementLocator | None, base: RecallBase) -> Assessments:
    """Return the judgements with elements and sizes, reduced to a recall base."""
    topics = {
        topic: with_recall_base(with_sizes(with_elements(judgements, locator), locator), base)
        for topic, judgements in assessments.topics.items()
    }
    return replace(assessments, topics=topics)


def _score(
    assessments: Assessments, runs: Sequence[Run], alpha: float, locator: ElementLocator | None
) -> list[ScoreRow]:
    request = ScoringRequest.of(assessments, ["hixeval"], {"alpha": alpha, "at": CUTOFFS}, locator=locator)
    table = score_runs(request, runs)
    shown = [f"{letter}@{rank}" for letter in "PRF" for rank in CUTOFFS] + ["AP", "RP"]
    return [
        row
        for run in dict.fromkeys(r.run for r in table.rows)
        for m in shown
        for row in table.select(run=run, measure=m).rows
    ]
