"""A worker process that scores batches of runs; it gets the request once and caches what it derives from it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.runs import Run
from eval.scoring.batch import RunScores, score_batch
from eval.scoring.request import ScoringRequest

_requests: list[ScoringRequest] = []


def initialise(request: ScoringRequest) -> None:
    """Store the request of this process."""
    _requests[:] = [request]


def score_part(runs: Sequence[Run | str | Path]) -> list[RunScores]:
    """Return the scores of some of the runs."""
    return score_batch(_requests[0], runs, is_all=False)
