"""How do scores look?

Plots with matplotlib, an optional part (``pip install '.[plots]'`` in a checkout).
"""

from __future__ import annotations

from eval.output.plots.score_plots import (
    PlotKind,
    plot,
    plot_boxes,
    plot_correlations,
    plot_curve,
    plot_difference,
    plot_topics,
)
from eval.output.plots.style import available, save, svg
from eval.output.plots.tuning_surface import plot_tuning

__all__ = [
    "PlotKind",
    "available",
    "plot",
    "plot_boxes",
    "plot_correlations",
    "plot_curve",
    "plot_difference",
    "plot_topics",
    "plot_tuning",
    "save",
    "svg",
]
