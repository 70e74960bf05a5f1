"""Whether measures reward what they should: simulated runs, made from the judgements, scored by these judgements.

Source: Pehcevski, thesis, 5.2, tables 5.3 and 5.4. Of HiXEval it is expected that

* passages, which are exactly what was highlighted, score best over all;
* with overlap penalised the elements best in context (BEP) follow, before all runs that return text twice;
* with overlap allowed the full recall base (FullRB) is the best of the element runs;
* for a user who wants no overlap and takes the best entry points alone for answers, BEP is the best of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from engine.runs import Ranking, Run
from eval.assessments import Assessments, read_assessments
from eval.elements import with_elements, with_sizes
from eval.geometry import Geometry
from eval.paths import ancestors
from eval.recall_base import RecallBase, with_recall_base
from eval.scoring import score
from eval.sheets import Column, Result, Sheet
from eval.sheets.scores import score_sheets
from eval.simulate import NAMES, SimulatedKind, simulated_run
from eval.statistics.marks import significance_marks
from eval.table import Row, Table

CUTOFFS = (10, 25, 50)
PASSAGES = NAMES["passage"][0]


@dataclass(frozen=True)
class Task:
    """One way to use the runs: its name, the share of text seen before that is taken off, and what it means."""

    name: str
    alpha: float
    meaning: str


TASKS = (
    Task("overlap penalised", 1.0, "all relevant elements; text returned before is worth nothing"),
    Task("overlap allowed", 0.0, "all relevant elements; text returned before counts again"),
    Task("user", 1.0, "overlap removed from the runs; of the judged elements only the best entry points count"),
)


@dataclass(frozen=True)
class Fidelity(Result):
    """The scores of the seven runs under each task, and how many results each run has."""

    source: str
    tables: Mapping[str, Table]
    results: Mapping[str, Mapping[str, int]]

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"source", "tasks": {name: {"results", "runs": [...]}}}``."""
        return {
            "source": self.source,
            "tasks": {
                name: {"results": dict(self.results[name]), **table.document()} for name, table in self.tables.items()
            },
        }

    def sheets(self) -> tuple[Sheet, ...]:
        """Return one table a task; marks compare with the passages."""
        sheets = []
        for task in TASKS:
            table = self.tables[task.name]
            scores = score_sheets(table, marks=significance_marks(table, baseline=PASSAGES))[0]
            counts = [self.results[task.name][str(row[0].value)] for row in scores.rows]
            sheets.append(
                Sheet.of(
                    f"Task: {task.name}",
                    [scores.columns[0], Column("results", 0), *scores.columns[1:]],
                    [[row[0], count, *row[1:]] for row, count in zip(scores.rows, counts, strict=True)],
                    notes=[f"Recall base: {task.meaning}.", *scores.notes],
                )
            )
        return tuple(sheets)

    def means(self, task: str, measure: str) -> dict[str, float]:
        """Return the mean of a measure for every run under a task."""
        return {row.run: row.value or 0.0 for row in self.tables[task].select(measure=measure).rows}


def fidelity(assessments: Assessments | str | Path, *, geometry: Geometry | None = None) -> Fidelity:
    """Return how HiXEval scores the seven simulated runs under the three tasks.

    The passages are measured by the highlighted passages under every task, without overlap (they have none).

    Raises: MeasureError where only an index can give elements, sizes or offsets.
    """
    found = assessments if isinstance(assessments, Assessments) else read_assessments(assessments)
    full = _each(found, geometry, "full")
    best = _each(found, geometry, "bep")
    kinds: Sequence[SimulatedKind] = get_args(SimulatedKind)
    passages, *elements = [simulated_run(full, kind, geometry=geometry) for kind in kinds]
    without_overlap = [_without_overlap(run) for run in elements]
    of_passages = _score(full, [passages], 1.0, geometry)
    chosen = {
        TASKS[0].name: (full, elements),
        TASKS[1].name: (full, elements),
        TASKS[2].name: (best, without_overlap),
    }
    tables, results = {}, {}
    for task in TASKS:
        base, runs = chosen[task.name]
        rows = [*of_passages, *_score(base, runs, task.alpha, geometry)]
        tables[task.name] = Table(tuple(replace(row, options={}) for row in rows))
        results[task.name] = {run.run_id: run.n_results for run in (passages, *runs)}
    return Fidelity(found.source, tables, results)


def overlap_removed(ranking: Ranking) -> Ranking:
    """Return the ranking without elements that contain, or are contained in, one that stands above them."""
    kept: list[int] = []
    given: set[tuple[str, str]] = set()
    around: set[tuple[str, str]] = set()
    for i, (document, path) in enumerate(zip(ranking.documents, ranking.paths, strict=True)):
        if path is None:
            raise ValueError(f"result {i + 1} of topic {ranking.topic!r} is no element")
        above = {(document, ancestor) for ancestor in ancestors(path)}
        if (document, path) in given or (document, path) in around or above & given:
            continue
        given.add((document, path))
        around |= above
        kept.append(i)
    return Ranking.ranked(
        ranking.topic,
        [ranking.documents[i] for i in kept],
        [ranking.paths[i] for i in kept],
        rsv=ranking.rsv[kept],
    )


def _without_overlap(run: Run) -> Run:
    return replace(run, rankings={topic: overlap_removed(ranking) for topic, ranking in run.rankings.items()})


def _each(assessments: Assessments, geometry: Geometry | None, base: RecallBase) -> Assessments:
    """Return the judgements with elements and sizes, reduced to a recall base."""
    topics = {
        topic: with_recall_base(with_sizes(with_elements(judgements, geometry), geometry), base)
        for topic, judgements in assessments.topics.items()
    }
    return replace(assessments, topics=topics)


def _score(assessments: Assessments, runs: Sequence[Run], alpha: float, geometry: Geometry | None) -> list[Row]:
    table = score(assessments, runs, ["hixeval"], {"alpha": alpha, "at": CUTOFFS}, geometry=geometry)
    shown = [f"{letter}@{rank}" for letter in "PRF" for rank in CUTOFFS] + ["AP", "RP"]
    return [
        row
        for run in dict.fromkeys(r.run for r in table.rows)
        for m in shown
        for row in table.select(run=run, measure=m).rows
    ]
