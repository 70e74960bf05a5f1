"""A process that answers and scores: it gets the search function once, and settings and topics again and again."""

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from engine.runs import Run
from eval.tuning.grid import Point
from eval.tuning.scorer import Scorer

Search: TypeAlias = Callable[[Point, Sequence[str]], Run]
"""Answers some topics under some settings; a topic that cannot be answered is left out, and `Run.notices` say so."""


@dataclass(frozen=True)
class Unit:
    """Points, by number and settings, and the topics to answer under each."""

    numbers: tuple[int, ...]
    points: tuple[Point, ...]
    topics: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """The values of a unit, a list a point, and what its runs tell.

    ``is_judged`` tells whether a judged document is returned; ``document`` is the first one that is returned at all.
    """

    unit: Unit
    values: list[list[float | None]]
    notices: tuple[str, ...]
    is_judged: bool
    document: str | None


def evaluate(search: Search, scorer: Scorer, unit: Unit) -> Outcome:
    """Return what the points of a unit score."""
    runs = [search(point, unit.topics) for point in unit.points]
    notices = tuple(dict.fromkeys(notice for run in runs for notice in run.notices))
    documents = (document for run in runs for ranking in run.rankings.values() for document in ranking.documents)
    values, is_judged = scorer.scores(runs, unit.topics)
    return Outcome(unit, values, notices, is_judged, next(documents, None))


_work: list[tuple[Search, Scorer]] = []


def begin(search: Search, scorer: Scorer) -> None:
    """Take what this process works with; it ends with the process that started it, which alone is interrupted."""
    _work[:] = [(search, scorer)]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if parent := multiprocessing.parent_process():
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def evaluated(unit: Unit) -> Outcome:
    """Return what the points of a unit score, in a process that has begun."""
    return evaluate(*_work[0], unit)
