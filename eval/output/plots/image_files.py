"""Plots as image files and in HTML."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from engine.errors import MeasureError
from engine.system.files import replacing, unwritable
from engine.wording import shown
from eval.output.plots.curve_data import measure_curves
from eval.output.plots.curves import plot_curve
from eval.output.plots.style import available, styled
from eval.output.plots.topic_scores import plot_boxes, plot_difference, plot_topics
from eval.scoring.score_table import ScoreTable
from eval.statistics.score_series import ScoreSeries, series_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PlotKind", "available", "check_ending", "plot", "save", "svg"]

PlotKind: TypeAlias = Literal["auto", "curve", "topics", "difference", "boxes"]

FORMATS = (".svg", ".png", ".pdf")


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


def save(figure: Figure, file: str | Path) -> Path:
    """Write a figure atomically; equal figures give equal bytes."""
    file = Path(file)
    check_ending(file)
    try:
        with replacing(file) as temporary, styled():
            figure.savefig(temporary, metadata=_metadata(file.suffix.lower()))
    except OSError as error:
        raise MeasureError(unwritable(file, error)) from None
    return file


def check_ending(file: Path) -> None:
    """Raise MeasureError for a file extension that is not an image format."""
    if file.suffix.lower() not in FORMATS:
        raise MeasureError(f"{file}: unknown image format; use one of {', '.join(FORMATS)}.")


def svg(figure: Figure, name: str) -> str:
    """Return a figure as an SVG element for HTML; ``name`` prefixes its ids, which must be unique on the page."""
    text = io.StringIO()
    with styled():
        figure.savefig(text, format="svg", metadata=_metadata(".svg"))
    element = text.getvalue()
    element = element[element.index("<svg") :]
    element = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", element)
    return re.sub(r"\s*<metadata>.*?</metadata>", "", element, flags=re.DOTALL)


def _metadata(ending: str) -> dict[str, Any]:
    """Return metadata of image files that omits dates and versions, so that equal figures give equal bytes."""
    return {".svg": {"Date": None, "Creator": None}, ".pdf": {"CreationDate": None}, ".png": {"Software": None}}[ending]


def _first(table: ScoreTable, measure: str | None) -> ScoreSeries:
    drawn = ScoreTable(tuple(row for row in table.rows if not row.is_detail and measure in (None, row.measure)))
    found = series_of(drawn)
    if not found:
        raise MeasureError(
            f"the scores contain no measure {shown(measure)}." if measure else "there are no scores to plot."
        )
    return next((one for one in found if one.measure in ("AP", "AiP", "AgP", "MAep")), found[0])
