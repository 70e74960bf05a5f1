"""A process that scores batches of runs: it gets the judgements once and keeps what it finds out about them."""

from collections.abc import Sequence
from pathlib import Path

from engine.runs import Run
from eval.batch import RunScores, Task, score_batch

_tasks: list[Task] = []


def begin(task: Task) -> None:
    """Take the task that this process works at."""
    _tasks[:] = [task]


def scored(runs: Sequence[Run | str | Path]) -> list[RunScores]:
    """Return the scores of some of the runs."""
    return score_batch(_tasks[0], runs, is_all=False)
