"""A worker process that answers and scores topics; it gets the search function once, then units of work."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from engine.notices import Message
from engine.runs import Run
from engine.system.process import end_with_parent
from eval.tuning.grid import Point
from eval.tuning.scorer import MeasureScorer

# Answers topics under settings; topics that cannot be answered are skipped, with a notice in `Run.notices`.
Search: TypeAlias = Callable[[Point, Sequence[str]], Run]


@dataclass(frozen=True)
class WorkUnit:
    """A unit of work: points, by number and settings, and the topics to answer under each."""

    numbers: tuple[int, ...]
    points: tuple[Point, ...]
    topics: tuple[str, ...]


@dataclass(frozen=True)
class UnitScores:
    """The scores of a unit of work, a list for each point, and the notices of its runs.

    ``is_judged``: whether a judged document is returned; ``document``: the first returned document.
    """

    unit: WorkUnit
    values: list[list[float | None]]
    notices: tuple[Message, ...]
    is_judged: bool
    document: str | None


def evaluate(search: Search, scorer: MeasureScorer, unit: WorkUnit) -> UnitScores:
    """Return the scores of a unit of work."""
    runs = [search(point, unit.topics) for point in unit.points]
    notices = tuple(dict.fromkeys(notice for run in runs for notice in run.notices))
    documents = (document for run in runs for ranking in run.rankings.values() for document in ranking.documents)
    values, is_judged = scorer.scores(runs, unit.topics)
    return UnitScores(unit, values, notices, is_judged, next(documents, None))


_work: list[tuple[Search, MeasureScorer]] = []


def begin(search: Search, scorer: MeasureScorer) -> None:
    """Store the search and the scorer of this process, and make it end with its parent process."""
    _work[:] = [(search, scorer)]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def evaluated(unit: WorkUnit) -> UnitScores:
    """Return the scores of a unit of work in an initialised worker process."""
    return evaluate(*_work[0], unit)
