"""Tuning of settings on judged topics: grid search, cross-validation, an unbiased estimate."""

from __future__ import annotations

from eval.tuning.cross_validated import CrossValidated
from eval.tuning.grid import Grid, make_grid, read_grid
from eval.tuning.journal import Journal
from eval.tuning.learn import Learning, learn
from eval.tuning.scorer import MeasureScorer
from eval.tuning.selection import Method
from eval.tuning.settings_comment import summary
from eval.tuning.tune import tune
from eval.tuning.tuning_result import Tuning

__all__ = [
    "CrossValidated",
    "Grid",
    "Journal",
    "Learning",
    "MeasureScorer",
    "Method",
    "Tuning",
    "learn",
    "make_grid",
    "read_grid",
    "summary",
    "tune",
]
