"""The scores of points by topic: computed on demand, in several worker processes, and recorded in a journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.errors import MeasureError, ended_worker
from engine.notices import Message
from engine.progress import Progress
from engine.runs import Run
from engine.system.worker_processes import Start, in_order, worker_processes
from eval.numbers import FloatArray
from eval.tuning.grid import Point
from eval.tuning.journal import Journal, key
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
    """Store the search and the scorer of this process."""
    _work[:] = [(search, scorer)]


def evaluated(unit: WorkUnit) -> UnitScores:
    """Return the scores of a unit of work in an initialised worker process."""
    return evaluate(*_work[0], unit)


Mask: TypeAlias = NDArray[np.bool_]

# Largest numbers of points and topics in one unit of work; a topic is prepared once for all points of a unit.
POINTS, TOPICS = 10, 8


class ScoreMatrix:
    """The scores of points by topic.

    values: float64, shape (n_points, n_topics); NaN where the measure is not defined or not yet computed.
    known: which values are computed, bool, the same shape.
    is_judged: whether any answer is in a document judged for its topic.
    document: the first document of any answer.
    """

    def __init__(
        self,
        search: Search,
        scorer: MeasureScorer,
        points: Sequence[Point],
        topics: Sequence[str],
        *,
        jobs: int = 1,
        journal: Journal | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.points, self.topics = tuple(points), tuple(topics)
        self.values: FloatArray = np.full((len(points), len(topics)), np.nan)
        self.known: Mask = np.zeros(self.values.shape, np.bool_)
        self.notices: dict[Message, None] = dict.fromkeys(scorer.index_notices())
        self.is_judged = False
        self.document: str | None = None
        self._search, self._scorer, self._jobs = search, scorer, jobs
        self._journal, self._progress = journal, progress
        self._workers = ExitStack()
        self._start: Start | None = None
        self._place = {topic: i for i, topic in enumerate(self.topics)}
        if journal:
            self._take(journal)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._workers.close()

    def add(self, points: Sequence[Point]) -> NDArray[np.int64]:
        """Return the row numbers of points in the matrix, shape (n,); missing points are added."""
        known = {key(point): number for number, point in enumerate(self.points)}
        further = {name: point for point in points if (name := key(point)) not in known}
        known |= {name: len(self.points) + i for i, name in enumerate(further)}
        self.points += tuple(further.values())
        self.values = np.vstack([self.values, np.full((len(further), len(self.topics)), np.nan)])
        self.known = np.vstack([self.known, np.zeros((len(further), len(self.topics)), np.bool_)])
        if self._journal and further:
            self._take(self._journal)
        return np.array([known[key(point)] for point in points], np.int64)

    def require(self, wanted: Mask, stage: str = "tuning", *, may_lack: bool = False) -> None:
        """Compute the wanted values that are not known yet.

        Args:
            wanted: bool, shape (n_points, n_topics).
            may_lack: the measure may be undefined for some topics.

        Raises: MeasureError if the measure is undefined for a topic and ``may_lack`` is false.
        """
        missing = wanted & ~self.known
        total = int(wanted.sum())
        done = total - int(missing.sum())
        units = list(self._units(missing))
        for outcome in self._outcomes(units):
            self._keep(outcome)
            done += len(outcome.unit.numbers) * len(outcome.unit.topics)
            if self._progress:
                self._progress(stage, done, total)
        if not may_lack and (lacking := np.argwhere(wanted & np.isnan(self.values))).size:
            point, topic = self.points[lacking[0, 0]], self.topics[lacking[0, 1]]
            raise MeasureError(
                f"{self._scorer.measure} has a value for topic {topic!r} under the base settings, but none under "
                f"{dict(point)}: it cannot compare settings."
            )

    def _units(self, missing: Mask) -> Iterator[WorkUnit]:
        """Yield units of work for the missing values; points that lack the same topics share units."""
        for first in range(0, len(self.topics), TOPICS):
            part = missing[:, first : first + TOPICS]
            patterns: dict[bytes, list[int]] = {}
            for number in np.flatnonzero(part.any(axis=1)).tolist():
                patterns.setdefault(part[number].tobytes(), []).append(number)
            for numbers in patterns.values():
                topics = tuple(self.topics[first + i] for i in np.flatnonzero(part[numbers[0]]).tolist())
                for start in range(0, len(numbers), POINTS):
                    chosen = tuple(numbers[start : start + POINTS])
                    yield WorkUnit(chosen, tuple(self.points[number] for number in chosen), topics)

    def _outcomes(self, units: Sequence[WorkUnit]) -> Iterator[UnitScores]:
        """Yield the scores of units."""
        if self._jobs == 1 or not units:
            for unit in units:
                yield evaluate(self._search, self._scorer, unit)
            return
        if self._start is None:
            workers = worker_processes(self._jobs, evaluated.__module__, begin, self._search, self._scorer)
            self._start = self._workers.enter_context(workers)
        try:
            yield from in_order(self._start, self._jobs, evaluated, units)
        except BrokenProcessPool:
            raise ended_worker() from None

    def _keep(self, outcome: UnitScores) -> None:
        unit = outcome.unit
        columns = [self._place[topic] for topic in unit.topics]
        for number, values in zip(unit.numbers, outcome.values, strict=True):
            self.values[number, columns] = [np.nan if value is None else value for value in values]
            self.known[number, columns] = True
        self.notices.update(dict.fromkeys(outcome.notices))
        self.is_judged |= outcome.is_judged
        self.document = self.document or outcome.document
        if self._journal:
            self._journal.add(
                (point, topic, value)
                for point, values in zip(unit.points, outcome.values, strict=True)
                for topic, value in zip(unit.topics, values, strict=True)
            )

    def _take(self, journal: Journal) -> None:
        """Read the scores of the points and topics from the journal."""
        rows = {key(point): number for number, point in enumerate(self.points)}
        for (settings, topic), value in journal.scores.items():
            if settings in rows and topic in self._place:
                number, column = rows[settings], self._place[topic]
                self.values[number, column] = np.nan if value is None else value
                self.known[number, column] = True
