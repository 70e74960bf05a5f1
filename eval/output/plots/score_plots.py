"""Plots of scores: curves, bars and dots by topic, differences, boxes, correlation of measures."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from engine.errors import MeasureError
from engine.wording import shown
from eval.measures import OptionValue
from eval.output.plots.style import BETTER, COLOURS, DASHES, MOST, OTHERS, WORSE, legend, new_figure, save, styled
from eval.scoring.score_table import ScoreRow, ScoreTable, options_text
from eval.statistics.measure_correlation import Correlations
from eval.statistics.score_series import ScoreSeries, series_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = re.compile(r"(?P<curve>\w+)(?:@(?P<rank>\d+)|\[(?P<number>\d+(?:\.\d+)?)\])")

TITLES = {
    "P": "Precision",
    "iP": "Interpolated precision",
    "R": "Recall",
    "F": "F: harmonic mean of precision and recall",
    "nxCG": "nxCG: gain against the ideal ranking",
    "MAnxCG": "MAnxCG: mean nxCG up to a rank",
    "ep": "Effort-precision",
    "gP": "Generalised precision",
    "gR": "Generalised recall",
}


@dataclass(frozen=True)
class MeasureCurve:
    """One curve of several runs: the mean over topics at each point, in the order of the points."""

    name: str
    family: str
    options: Mapping[str, OptionValue]
    x_label: str
    points: tuple[float, ...]
    runs: Mapping[str, tuple[float | None, ...]]

    @property
    def title(self) -> str:
        """The quantity of the curve, and in a second line its family and options."""
        return f"{TITLES.get(self.name, self.name)}\n{self.family} {options_text(self.options)}".rstrip()

    @property
    def is_share(self) -> bool:
        """Whether points are levels from 0 to 1 instead of ranks."""
        return self.x_label != "rank"


def measure_curves(table: ScoreTable) -> tuple[MeasureCurve, ...]:
    """Return every curve of three points or more that has a value, in the order of the table.

    Numbers after ``@`` and whole numbers in brackets are ranks, other numbers in brackets levels of recall.
    """
    groups: dict[tuple[str, str, str, bool], dict[float, list[ScoreRow]]] = {}
    for row in table.rows:
        found = NAME.fullmatch(row.measure)
        if found is None:
            continue
        number = found["rank"] or found["number"]
        key = (row.family, options_text(row.options), found["curve"], "." in number)
        groups.setdefault(key, {}).setdefault(float(number), []).append(row)
    curves = (_curve(name, is_share, points) for (_, _, name, is_share), points in groups.items() if len(points) > 2)
    return tuple(curve for curve in curves if any(y is not None for ys in curve.runs.values() for y in ys))


def _curve(name: str, is_share: bool, rows: Mapping[float, list[ScoreRow]]) -> MeasureCurve:
    points = sorted(rows)
    first = rows[points[0]][0]
    values = {point: {row.run: row.value for row in rows[point]} for point in points}
    runs = dict.fromkeys(row.run for point in points for row in rows[point])
    label = ("gain-recall" if name == "ep" else "recall") if is_share else "rank"
    return MeasureCurve(
        name,
        first.family,
        first.options,
        label,
        tuple(points),
        {run: tuple(values[point].get(run) for point in points) for run in runs},
    )


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


def plot_correlations(correlations: Correlations) -> Figure:
    """Return the heat map of Kendall's tau-b between all measures, from red (-1) to blue (1)."""
    names = correlations.measures
    tau = np.full((len(names), len(names)), np.nan)
    np.fill_diagonal(tau, 1.0)
    for pair in correlations.pairs:
        x, y = names.index(pair.x), names.index(pair.y)
        tau[x, y] = tau[y, x] = np.nan if pair.kendall.tau_b is None else pair.kendall.tau_b
    with styled():
        side = 1.8 + 0.55 * len(names) + 0.05 * max(map(len, names))
        figure, axes = new_figure("Kendall tau-b between measures", side + 0.8, side)
        image = axes.imshow(tau, cmap="RdYlBu", vmin=-1, vmax=1)
        for x in range(len(names)):
            for y in range(len(names)):
                text = "–" if np.isnan(tau[x, y]) else f"{tau[x, y]:.2f}"
                axes.text(
                    y, x, text, ha="center", va="center", fontsize=8, color="white" if tau[x, y] > 0.8 else "black"
                )
        axes.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor")
        axes.set_yticks(range(len(names)), names)
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        figure.colorbar(image, ax=axes, shrink=0.8)
        return figure


PlotKind: TypeAlias = Literal["auto", "curve", "topics", "difference", "boxes"]


def plot(table: ScoreTable, file: str | Path, *, kind: PlotKind = "auto", measure: str | None = None) -> Path:
    """Plot scores into an SVG, PNG or PDF file, by its extension, and return the file.

    ``auto`` plots the first curve of the table if it has one, else the topics of one run, the difference of two runs or
    box plots of more. ``measure`` selects what is plotted, a curve by its name without points (``iP``, ``nxCG``); the
    default is the first measure.

    Raises: MeasureError for an unknown kind or extension, and if there is nothing to plot.
    """
    if kind not in get_args(PlotKind):
        raise MeasureError(f"there is no plot {kind!r}; choose one of: {', '.join(get_args(PlotKind))}.")
    if kind in ("auto", "curve"):
        curves = [curve for curve in measure_curves(table) if measure in (None, curve.name)]
        if curves:
            return save(plot_curve(curves[0]), file)
        if kind == "curve":
            raise MeasureError(
                f"the scores contain no curve{f' {measure!r}' if measure else ''}, such as iP[0.00] ... or nxCG@1 ..."
            )
    series = _first(table, measure)
    runs = list(series.runs)
    if kind == "auto":
        kind = "topics" if len(runs) == 1 else "difference" if len(runs) == 2 else "boxes"
    if kind == "difference":
        if len(runs) != 2:
            raise MeasureError(f"plotting a difference needs two runs; found {len(runs)}.")
        return save(plot_difference(series, *runs), file)
    return save(plot_topics(series) if kind == "topics" else plot_boxes(series), file)


def _first(table: ScoreTable, measure: str | None) -> ScoreSeries:
    drawn = ScoreTable(tuple(row for row in table.rows if not row.is_detail and measure in (None, row.measure)))
    found = series_of(drawn)
    if not found:
        raise MeasureError(
            f"the scores contain no measure {shown(measure)}." if measure else "there are no scores to plot."
        )
    return next((one for one in found if one.measure in ("AP", "AiP", "AgP", "MAep")), found[0])
