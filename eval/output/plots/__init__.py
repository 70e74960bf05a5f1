"""How do scores look?

Plots with matplotlib, an optional part (``pip install '.[plots]'`` in a checkout).
"""

from __future__ import annotations

from eval.output.plots.correlation_heat_map import plot_correlations
from eval.output.plots.curves import plot_curve
from eval.output.plots.image_files import PlotKind, available, plot, save, svg
from eval.output.plots.topic_scores import plot_boxes, plot_difference, plot_topics
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
