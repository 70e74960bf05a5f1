"""Pictures into files and into HTML."""

import io
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from engine.errors import MeasureError
from eval.curves import curves_of
from eval.plots.curves import plot_curve
from eval.plots.style import available, styled
from eval.plots.topics import plot_boxes, plot_difference, plot_topics
from eval.statistics.series import Series, series_of
from eval.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Kind", "available", "check_ending", "plot", "save", "svg"]

Kind: TypeAlias = Literal["auto", "curve", "topics", "difference", "boxes"]

FORMATS = (".svg", ".png", ".pdf")


def plot(table: Table, file: str | Path, *, kind: Kind = "auto", measure: str | None = None) -> Path:
    """Draw a table into a file, SVG, PNG or PDF by its name, and return the file.

    ``auto`` draws the first curve of the table if it has one, else the difference of two runs, else the topics of one
    run, else box plots of many. ``measure`` names what is drawn, for a curve without its point (``iP``, ``nxCG``);
    otherwise it is the first.

    Raises: MeasureError for an unknown kind or ending, and where the table has nothing to draw.
    """
    if kind not in get_args(Kind):
        raise MeasureError(f"there is no picture {kind!r}; choose one of: {', '.join(get_args(Kind))}.")
    if kind in ("auto", "curve"):
        curves = [curve for curve in curves_of(table) if measure in (None, curve.name)]
        if curves:
            return save(plot_curve(curves[0]), file)
        if kind == "curve":
            raise MeasureError(
                f"the scores hold no curve{f' {measure!r}' if measure else ''}, such as iP[0.00] ... or nxCG@1 ..."
            )
    series = _first(table, measure)
    runs = list(series.runs)
    if kind == "auto":
        kind = "topics" if len(runs) == 1 else "difference" if len(runs) == 2 else "boxes"
    if kind == "difference":
        if len(runs) != 2:
            raise MeasureError(f"a difference is of two runs; these are {len(runs)}.")
        return save(plot_difference(series, *runs), file)
    return save(plot_topics(series) if kind == "topics" else plot_boxes(series), file)


def save(figure: "Figure", file: str | Path) -> Path:
    """Write a picture; it appears whole or not at all, and the same picture gives the same bytes."""
    file = Path(file)
    check_ending(file)
    part = file.with_name(f".{file.stem}.{os.getpid()}{file.suffix}")
    try:
        with styled():
            figure.savefig(part, metadata=_metadata(file.suffix.lower()))
        os.replace(part, file)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise MeasureError(f"{file}: cannot be written: {error.strerror}.") from None
    return file


def check_ending(file: Path) -> None:
    """Raise MeasureError for the name of a file that no picture can be written to."""
    if file.suffix.lower() not in FORMATS:
        raise MeasureError(f"{file}: a picture ends in one of {', '.join(FORMATS)}.")


def svg(figure: "Figure", name: str) -> str:
    """Return a picture as an SVG element to stand in HTML; ``name`` keeps its ids apart from those of others."""
    text = io.StringIO()
    with styled():
        figure.savefig(text, format="svg", metadata=_metadata(".svg"))
    element = text.getvalue()
    element = element[element.index("<svg") :]
    element = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", element)
    return re.sub(r"\s*<metadata>.*?</metadata>", "", element, flags=re.DOTALL)


def _metadata(ending: str) -> dict[str, Any]:
    """Return what a file says of its making: nothing that changes from one time to the next."""
    return {".svg": {"Date": None, "Creator": None}, ".pdf": {"CreationDate": None}, ".png": {"Software": None}}[ending]


def _first(table: Table, measure: str | None) -> Series:
    shown = Table(tuple(row for row in table.rows if not row.is_detail and measure in (None, row.measure)))
    found = series_of(shown)
    if not found:
        raise MeasureError(f"the scores hold no measure {measure!r}." if measure else "there are no scores to draw.")
    return next((one for one in found if one.measure in ("AP", "AiP", "AgP", "MAep")), found[0])
