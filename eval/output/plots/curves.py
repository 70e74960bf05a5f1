"""Line plots of curves: precision by recall, nxCG by rank, effort-precision by gain-recall."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from eval.output.plots.curve_data import MeasureCurve
from eval.output.plots.style import COLOURS, DASHES, MOST, OTHERS, legend, new_figure, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_curve(curve: MeasureCurve) -> Figure:
    """Return the plot of one curve with a line for each run.

    The eight runs with the highest mean over the points are coloured, others are grey.
    """
    with styled():
        figure, axes = new_figure(curve.title)
        values = {run: np.array([np.nan if y is None else y for y in ys]) for run, ys in curve.runs.items()}
        heights = {run: float(np.nanmean(ys)) if not np.isnan(ys).all() else -1.0 for run, ys in values.items()}
        coloured = sorted(heights, key=lambda run: -heights[run])[:MOST]
        others = [run for run in values if run not in coloured]
        drawn: dict[str, Any] = {}
        for run in others:
            drawn[_others(others)] = axes.plot(curve.points, values[run], color=OTHERS, linewidth=0.8)[0]
        marker = "o" if len(curve.points) <= 12 else None
        for number, run in enumerate(run for run in values if run in coloured):
            style = DASHES[number % len(DASHES)] if marker is None else "-"
            drawn[run] = axes.plot(
                curve.points, values[run], style, color=COLOURS[number], linewidth=1.6, marker=marker, markersize=3.5
            )[0]
        axes.set_xlabel(curve.x_label)
        axes.set_ylabel(curve.name)
        axes.set_ylim(bottom=0)
        if curve.is_share:
            axes.set_xlim(0, 1)
        elif marker:
            axes.set_xticks(curve.points)
            axes.xaxis.set_major_formatter("{x:.0f}")
        legend(figure, drawn)
        return figure


def _others(runs: list[str]) -> str:
    return f"{len(runs)} other run{'s' if len(runs) > 1 else ''}"
