"""Which settings are best on judged topics, and what do they score on others?

Grids and learned weights, chosen on folds of topics, with a cross-validated estimate; how topics are answered is given
as a function.
"""

from __future__ import annotations

from eval.tuning.grid import make_grid
from eval.tuning.scorer import MeasureScorer
from eval.tuning.tune import tune

__all__ = ["MeasureScorer", "make_grid", "tune"]
