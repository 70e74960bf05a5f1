"""Which settings are best on judged topics, and what would they score on others?"""

from __future__ import annotations

from eval.tuning.grid import make_grid
from eval.tuning.scorer import MeasureScorer
from eval.tuning.tune import tune

__all__ = ["MeasureScorer", "make_grid", "tune"]
