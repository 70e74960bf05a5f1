"""Pictures of scores, with matplotlib (``pip install 'foxir[plots]'``)."""

from eval.plots.correlation import plot_correlations
from eval.plots.curves import plot_curve
from eval.plots.files import Kind, available, plot, save, svg
from eval.plots.topics import plot_boxes, plot_difference, plot_topics
from eval.plots.tuning import plot_tuning

__all__ = [
    "Kind",
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
