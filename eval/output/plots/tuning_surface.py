"""Plots of tuning, after Figures 3.4 and 3.5 of the thesis: a curve, a surface, or marginals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from eval.output.plots.style import BETTER, WORSE, legend, new_figure, styled
from eval.tuning.grid import SettingValue, numeric, text
from eval.tuning.tuning_result import Tuning

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Largest number of cells labelled with their value; larger surfaces have contour lines instead.
MOST_TEXTS = 120

# Share of the colour map used, from its light end, so that labels are readable.
LIGHT = 0.65

# Largest number of labels on an axis; with more values every second, third ... is labelled.
MOST_NAMES = 12

# Total characters of the labels of an axis above which they are rotated.
LONGEST = 40

# Ratio of the widest to the narrowest step between values above which an axis is logarithmic.
MOST_SPREAD = 4


def plot_tuning(tuning: Tuning) -> Figure:
    """Return a plot of the mean by one setting (curve), by two (surface), or the marginal best means of more."""
    names = list(tuning.surface.parameters)
    title = f"{tuning.surface.measure} over {len(tuning.topics)} topics"
    with styled():
        if tuning.surface.is_plane:
            return _surface(tuning, names[0], names[1], title)
        figure, axes = new_figure(title if len(names) == 1 else f"best {title}", max(6.4, 2.6 * len(names)))
        rows = [axes]
        if len(names) > 1:
            axes.set_axis_off()
            figure.delaxes(axes)
            figure.suptitle(f"best {title}, by each setting", x=0.01, ha="left", fontsize=10)
            rows = list(np.atleast_1d(figure.subplots(1, len(names), sharey=True)))
        drawn: dict[str, Any] = {}
        for each, name in zip(rows, names, strict=True):
            drawn |= _line(each, tuning, name)
        rows[0].set_ylabel(tuning.surface.measure)
        legend(figure, drawn)
        return figure


def _line(axes: Axes, tuning: Tuning, name: str) -> dict[str, Any]:
    """Plot the best mean for each value of a setting; return the legend entries."""
    surface = tuning.surface
    means = [None if number is None else surface.means[number] for _, number in surface.marginal(name)]
    heights = np.array([np.nan if mean is None else mean for mean in means])
    values = surface.parameters[name]
    places = _places(axes, values)
    style = "o-" if numeric(values) else "o"
    axes.plot(places, heights, style, color=BETTER, linewidth=1.6, markersize=3.5 if len(values) <= 40 else 0)
    drawn: dict[str, Any] = {}
    if (value := surface.best_point.get(name)) is not None:
        at = (places[values.index(value)], tuning.chosen.mean)
        drawn["best"] = axes.plot(*at, "D", color=WORSE, markersize=6)[0]
        axes.annotate(text(value), at, xytext=(0, 6), textcoords="offset points", ha="center")
    drawn["base settings"] = axes.axhline(tuning.base.mean, color="#888888", linestyle="--", linewidth=1)
    drawn["cross-validated estimate"] = axes.axhline(tuning.estimate.mean, color=WORSE, linestyle=":", linewidth=1.4)
    axes.margins(y=0.15)
    axes.set_xlabel(name)
    return drawn


def _places(axes: Axes, values: tuple[SettingValue, ...]) -> list[float]:
    """Return positions on the x axis: numbers on a linear or logarithmic scale, other values at equal distances."""
    if not numeric(values) or not all(np.isfinite(float(value)) for value in values):
        names = [text(value) for value in values]
        is_long = len("  ".join(names)) > LONGEST
        axes.set_xticks(range(len(values)), names, rotation=30 if is_long else 0, ha="right" if is_long else "center")
        axes.set_xlim(-0.5, len(values) - 0.5)
        return [float(i) for i in range(len(values))]
    numbers = [float(value) for value in values]
    steps = np.diff(numbers)
    if numbers[0] > 0 and len(steps) > 1 and steps.max() > MOST_SPREAD * steps.min():
        axes.set_xscale("log")
        step = -(-len(values) // MOST_NAMES)
        axes.set_xticks(numbers[::step], [text(value) for value in values[::step]])
        axes.set_xticks([], minor=True)
    return numbers


def _surface(tuning: Tuning, down: str, across: str, title: str) -> Figure:
    """Return a heat map of the means over two settings, with the best marked."""
    from matplotlib import colormaps  # noqa: PLC0415 - slow to import, and optional
    from matplotlib.colors import ListedColormap  # noqa: PLC0415
    from matplotlib.patches import Rectangle  # noqa: PLC0415

    surface = tuning.surface
    ys, xs = surface.parameters[down], surface.parameters[across]
    numbers = [[surface.at(**{down: y, across: x}) for x in xs] for y in ys]
    means = [[None if i is None else surface.means[i] for i in row] for row in numbers]
    heights = np.array([[np.nan if mean is None else mean for mean in row] for row in means])
    figure, axes = new_figure(title, min(10.0, 3.6 + 0.5 * len(xs)), min(7.0, 2.2 + 0.34 * len(ys)))
    light = colormaps["YlGnBu"](np.linspace(0, LIGHT, 256))  # lines and numbers can be read on all of it
    image = axes.imshow(heights, cmap=ListedColormap(light), origin="lower", aspect="auto")
    _name(axes, "x", across, xs)
    _name(axes, "y", down, ys)
    if heights.size <= MOST_TEXTS:
        for (y, x), height in np.ndenumerate(heights):
            shown = "–" if np.isnan(height) else f"{height:.4f}"
            axes.text(x, y, shown, ha="center", va="center", fontsize=7)
    elif np.ptp(heights) > 0 and not np.isnan(heights).any():
        lines = axes.contour(heights, levels=8, colors="#333333", linewidths=0.6)
        axes.clabel(lines, fontsize=6, fmt="%.4f")
    best = next((y, x) for y, row in enumerate(numbers) for x, i in enumerate(row) if i == surface.best)
    corner = (best[1] - 0.5, best[0] - 0.5)
    axes.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=WORSE, linewidth=2, clip_on=False, zorder=3))
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    figure.colorbar(image, ax=axes, label=surface.measure, format="%.4f")
    figure.supxlabel(
        f"□ best, {surface.grid.label(surface.best_point)}: {tuning.chosen.mean:.4f};  cross-validated estimate "
        f"{tuning.estimate.mean:.4f};  base settings {tuning.base.mean:.4f}",
        fontsize=8,
    )
    return figure


def _name(axes: Axes, axis: str, name: str, values: tuple[SettingValue, ...]) -> None:
    """Label the x or y axis with a setting and its values."""
    step = -(-len(values) // (MOST_NAMES if axis == "x" else 2 * MOST_NAMES))
    places, names = range(0, len(values), step), [text(value) for value in values[::step]]
    if axis == "x":
        axes.set_xticks(places, names)
        axes.set_xlabel(name)
    else:
        axes.set_yticks(places, names)
        axes.set_ylabel(name)
