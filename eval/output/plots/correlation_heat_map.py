"""Heat map of the rank correlation between measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from eval.output.plots.style import new_figure, styled
from eval.statistics.measure_correlation import Correlations

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
