"""Tuning without an index: what every point scores on every topic is given as a table."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

from engine.runs import Ranking, Run
from eval.tuning.grid import Grid
from eval.tuning.tune import tune

BASE = "base"


@dataclass(frozen=True)
class MadeSearch:
    """Runs that name the point; notes what it is asked, in a file if there is one, and stops after some calls."""

    log: Path | None = None
    most_calls: float = math.inf
    calls: list[tuple[object, tuple[str, ...]]] = field(default_factory=list)

    def __call__(self, point: Mapping[str, object], topics: Sequence[str]) -> Run:
        if len(self.calls) >= self.most_calls:
            raise KeyboardInterrupt
        self.calls.append((point.get("k", BASE), tuple(topics)))
        if self.log:
            with self.log.open("a") as file:
                file.writelines(f"{json.dumps([point.get('k', BASE), topic])}\n" for topic in topics)
        return Run(str(point.get("k", BASE)), {topic: Ranking.ranked(topic, ["d"]) for topic in topics})


@dataclass(frozen=True)
class MadeScorer:
    """Scores from a table: a value by point and topic."""

    table: Mapping[str, Mapping[str, float | None]]
    is_judged: bool = True
    family: str = "made"
    measure: str = "AP"

    @property
    def options(self) -> dict[str, object]:
        return {}

    @property
    def assessments(self) -> SimpleNamespace:
        topics = {topic: SimpleNamespace(documents=["judged"]) for topic in self.table[BASE]}
        return SimpleNamespace(topics=topics, source="made.qrels")

    def index_notices(self) -> list[str]:
        return []

    def scores(self, runs: Sequence[Run], topics: Sequence[str]) -> tuple[list[list[float | None]], bool]:
        return [[self.table[run.run_id][topic] for topic in topics] for run in runs], self.is_judged


def line(n: int) -> Grid:
    """A grid of the numbers 0 ... n - 1."""
    return Grid(tuple({"k": k} for k in range(n)))


def table(rows: Sequence[Sequence[float]], base: Sequence[float] | None = None) -> dict[str, dict[str, float | None]]:
    """A table of rows of scores, a row a point; without another base it scores 0."""
    topics = [f"t{i}" for i in range(len(rows[0]))]
    named = {str(k): row for k, row in enumerate(rows)} | {BASE: base or [0.0] * len(topics)}
    return {point: dict(zip(topics, row, strict=True)) for point, row in named.items()}


def tuned(rows, base=None, *, search=None, **options):
    return tune(search or MadeSearch(), MadeScorer(table(rows, base)), line(len(rows)), **{"resamples": 50, **options})
