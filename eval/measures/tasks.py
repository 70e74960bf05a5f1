"""The retrieval tasks of INEX as named options of the measures.

Sources: Pehcevski & Thom, HiXEval, INEX 2005, section 4.1; Kamps, Lalmas & Pehcevski, SIGIR 2007.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.errors import MeasureError
from engine.wording import shown
from eval.measures.measure_options import OptionValue


@dataclass(frozen=True)
class TaskMeasures:
    """The measure families and options of a task."""

    measures: tuple[str, ...]
    options: Mapping[str, OptionValue]


TASKS: Mapping[str, TaskMeasures] = {
    "Thorough": TaskMeasures(("hixeval",), {"alpha": 0.0}),  # overlap is allowed
    "Focussed": TaskMeasures(("hixeval",), {"alpha": 1.0}),  # overlap is penalised
    "FetchBrowse": TaskMeasures(("hixeval-group",), {"alpha": 0.0}),  # results grouped by article
    "RelevantInContext": TaskMeasures(("ric",), {}),
    "BestInContext": TaskMeasures(("bic",), {}),
}

SPELLINGS = {"focused": "Focussed"}


def task_measures(name: str) -> TaskMeasures:
    """Return the measures and options of a task; ``CO.Focussed``, ``focused`` and ``Focussed`` are the same."""
    word = name.strip().rpartition(".")[2].lower()
    known = {task.lower(): task for task in TASKS} | SPELLINGS
    if word not in known:
        raise MeasureError(f"there are no measures for task {shown(name)}; choose one of: {', '.join(TASKS)}.")
    return TASKS[known[word]]
