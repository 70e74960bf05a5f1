"""Scores rankings by foxir's own measures, in process: a value a topic for each task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.runs import Ranking, Run
from eval.judgements.judgements import Assessments
from eval.scoring.request import ScoringRequest
from eval.scoring.score import score_runs
from eval.text.element_locator import ElementLocator

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Task:
    """What is asked of a system, and the two or fewer measures that judge its answers."""

    name: str
    title: str
    family: str
    measures: tuple[str, ...]
    options: Mapping[str, float | str | tuple[int, ...]]

    @property
    def judged_by(self) -> str:
        """What gives a ranking its values, the same for tasks that differ in what may be returned only."""
        return f"{self.family} {self.options} {self.measures}"


TASKS: Mapping[str, Task] = {
    task.name: task
    for task in (
        Task(
            "focussed", "Focussed (elements, overlap penalised)", "hixeval", ("AP", "F@10"), {"alpha": 1, "at": (10,)}
        ),
        Task("thorough", "Thorough (elements, overlap allowed)", "hixeval", ("AP", "F@10"), {"alpha": 0, "at": (10,)}),
        Task("passages", "Passages (offset:length)", "hixeval", ("AP", "F@10"), {"alpha": 1, "at": (10,)}),
        Task("in-context", "Relevant in Context", "ric", ("AgP",), {"overlapping": "union"}),
        Task("best-in-context", "Best in Context", "bic", ("AgP",), {}),
    )
}
SHOWN = {"AP": "MAP", "AgP": "MAgP"}  # what the mean of a measure over topics is called


def values(
    run: Run | str | Mapping[str, Ranking],
    task: str,
    assessments: Assessments,
    locator: ElementLocator,
    topics: Sequence[str],
) -> dict[str, Values]:
    """Return each measure of a task at each topic, shape (n_topics,), for a run, its file, or its rankings.

    A topic that the run does not answer counts 0, so does one of no defined value.
    """
    asked = TASKS[task]
    runs = [Run("run", run) if isinstance(run, Mapping) else run]
    request = ScoringRequest.of(assessments, [asked.family], dict(asked.options), locator=locator, topics=topics)
    table = score_runs(request, runs)
    found = {}
    for name in asked.measures:
        by_topic = table.select(measure=name).rows[0].topics
        found[name] = np.array([by_topic[topic] or 0.0 for topic in topics])
    return found
