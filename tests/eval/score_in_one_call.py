"""Scoring in one call: a request, and the scores of runs for it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.runs import Run
from eval import Assessments, ScoreTable
from eval.scoring.request import ScoringRequest
from eval.scoring.score import score_runs


def score(
    assessments: Assessments | str | Path, runs: Sequence[Run | str | Path], *measures_and_options: Any, **others: Any
) -> ScoreTable:
    """Return the scores of runs; the other arguments are those of `ScoringRequest.of`."""
    return score_runs(ScoringRequest.of(assessments, *measures_and_options, **others), runs)
