"""Plots of scores by topic: bars or dots, the difference of two runs, box plots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from engine.errors import MeasureError
from eval.output.plots.style import BETTER, COLOURS, MOST, OTHERS, WORSE, legend, new_figure, styled
from eval.statistics.score_series import ScoreSeries

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Largest width in inches, that of a report page; topics are closer together beyond.
WIDEST = 12.0

# Largest number of runs drawn as bars; more are drawn as dots.
MOST_BARS = 3

# Largest number of topic labels on the axis; with more topics every second, third ... is labelled.
MOST_NAMES = 60


def plot_topics(series: ScoreSeries) -> Figure:
    """Return a plot of the scores by topic: bars for up to three runs, dots for more (the first eight in colour)."""
    topics = series.topics
    _require(series, bool(topics))
    with styled():
        n_runs = len(series.runs)
        width = min(WIDEST, max(6.4, 1.2 + len(topics) * (0.10 + 0.09 * min(n_runs, MOST_BARS))))
        figure, axes = new_figure(f"{series.label} by topic", width)
        places = np.arange(len(topics))
        drawn: dict[str, Any] = {}
        for number, (run, scores) in enumerate(series.runs.items()):
            heights = np.array([_number(scores.get(topic)) for topic in topics])
            colour = COLOURS[number] if number < MOST else OTHERS
            if n_runs <= MOST_BARS:
                bar = 0.8 / n_runs
                left = places + (number - (n_runs - 1) / 2) * bar
                drawn[run] = axes.bar(left, np.nan_to_num(heights), bar, color=colour)
            else:
                drawn[run] = axes.plot(places, heights, "o", color=colour, markersize=4, alpha=0.85)[0]
        _name_topics(axes, topics)
        axes.set_ylabel(series.label)
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
        axes.grid(visible=False, axis="x")
        legend(figure, drawn)
        return figure


def plot_difference(series: ScoreSeries, a: str, b: str) -> Figure:
    """Return a bar plot of score(a) - score(b) by topic, in decreasing order."""
    for run in (a, b):
        if run not in series.runs:
            raise MeasureError(f"there is no run {run!r}; the runs are: {', '.join(series.runs)}.")
    both = [t for t in series.topics if series.runs[a].get(t) is not None and series.runs[b].get(t) is not None]
    _require(series, bool(both))
    differences = series.of_topics(both).differences(a, b)
    with styled():
        order = np.argsort(-differences, kind="stable")
        heights = differences[order]
        won, lost = int((heights > 0).sum()), int((heights < 0).sum())
        counts = f"topics better: {won}, worse: {lost}, equal: {len(both) - won - lost}"
        title = f"{series.label}: {a} – {b}\n{counts}"
        figure, axes = new_figure(title, min(WIDEST, max(6.4, 1.2 + 0.16 * len(both))))
        axes.bar(np.arange(len(both)), heights, 0.8, color=[BETTER if height > 0 else WORSE for height in heights])
        axes.axhline(0, color="#666666", linewidth=0.8)
        axes.axhline(differences.mean(), color="#333333", linewidth=1, linestyle="--")
        axes.annotate(
            f"mean {differences.mean():+.4f}",
            (1, differences.mean()),
            xycoords=("axes fraction", "data"),
            xytext=(0, 3),
            textcoords="offset points",
            horizontalalignment="right",
            fontsize=8,
        )
        _name_topics(axes, tuple(both[i] for i in order.tolist()))
        axes.set_ylabel(f"difference in {series.label}")
        axes.grid(visible=False, axis="x")
        return figure


def plot_boxes(series: ScoreSeries) -> Figure:
    """Return box plots of the scores of runs, the best mean on top: median, quartiles, whiskers at 1.5 IQR, mean."""
    means = series.means
    runs = sorted((run for run in series.runs if means[run] is not None), key=lambda run: means[run] or 0.0)
    _require(series, bool(runs))
    with styled():
        values = [[v for v in series.runs[run].values() if v is not None] for run in runs]
        longest = max(map(len, runs))
        figure, axes = new_figure(f"{series.label} over topics", 5.4 + 0.07 * longest, 1.2 + 0.34 * len(runs))
        boxes = axes.boxplot(
            values,
            orientation="horizontal",
            widths=0.6,
            patch_artist=True,
            showmeans=True,
            meanprops={"marker": "D", "markerfacecolor": WORSE, "markeredgecolor": "none", "markersize": 5},
            medianprops={"color": "#222222", "linewidth": 1.4},
            flierprops={"marker": "o", "markersize": 3, "markerfacecolor": "none", "markeredgecolor": "#888888"},
        )
        for box in boxes["boxes"]:
            box.set(facecolor="#CFE3F1", edgecolor=BETTER)
        axes.set_yticks(np.arange(1, len(runs) + 1), runs)
        axes.set_xlabel(f"{series.label} (line: median, diamond: mean)")
        axes.grid(visible=False, axis="y")
        return figure


def _name_topics(axes: Axes, topics: tuple[str, ...]) -> None:
    step = -(-len(topics) // MOST_NAMES)
    axes.set_xticks(np.arange(0, len(topics), step), topics[::step], rotation=90, fontsize=7)
    axes.set_xlim(-0.7, len(topics) - 0.3)
    axes.set_xlabel("topic" if step == 1 else f"topic (one in {step} is labelled)")


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _require(series: ScoreSeries, has_values: bool) -> None:
    if not has_values:
        raise MeasureError(f"no topic has a value for {series.label}: there is nothing to plot.")
