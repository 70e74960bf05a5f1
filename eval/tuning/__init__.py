"""Tuning settings on judged topics: a grid, cross-validation, an honest estimate."""

from eval.tuning.grid import Grid, Point, read_grid
from eval.tuning.journal import Journal
from eval.tuning.result import Fold, Tuning
from eval.tuning.scorer import Scorer, scorer
from eval.tuning.selection import Method
from eval.tuning.summary import summary
from eval.tuning.surface import Surface
from eval.tuning.tune import tune
from eval.tuning.worker import Search

__all__ = [
    "Fold",
    "Grid",
    "Journal",
    "Method",
    "Point",
    "Scorer",
    "Search",
    "Surface",
    "Tuning",
    "read_grid",
    "scorer",
    "summary",
    "tune",
]
