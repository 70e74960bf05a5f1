"""Common style of all plots, with a palette for colour-blind readers; figures as image files and in HTML."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from engine.errors import MeasureError, how_to_install
from engine.system.files import replacing, unwritable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Palette after Okabe & Ito, with yellow replaced by violet for contrast on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A5195", "#4D4D4D")

# Formats of image files, by their endings.
FORMATS = (".svg", ".png", ".pdf")

DASHES = ("-", "--", "-.", ":")
BETTER, WORSE, OTHERS = "#0072B2", "#D55E00", "#C8C8C8"

# Number of coloured runs; others are grey.
MOST = len(COLOURS)

STYLE: dict[Any, Any] = {
    "font.size": 9.0,
    "font.family": ["DejaVu Sans", "sans-serif"],
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#666666",
    "axes.titlesize": 10.0,
    "axes.titlelocation": "left",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "text.parse_math": False,  # a run may be called $5
    "svg.fonttype": "none",
    "svg.hashsalt": "foxir",
    "savefig.dpi": 150,
}


def available() -> bool:
    """Return whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


@contextmanager
def styled() -> Iterator[None]:
    """Apply the common style while plotting or writing; MeasureError if matplotlib is not installed."""
    if not available():
        raise MeasureError(f"plots need matplotlib, which is not installed: {how_to_install('plots')}")
    import matplotlib as mpl  # noqa: PLC0415 - slow to import, and optional

    with mpl.rc_context(STYLE):
        yield


def new_figure(title: str, width: float = 6.4, height: float = 3.9) -> tuple[Figure, Axes]:
    """Return a figure and its axes; sizes in inches."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow to import, and optional

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    axes.set_title("\n".join(line for part in title.split("\n") for line in wrap(part, int(width * 13))))
    return figure, axes


def legend(figure: Figure, drawn: Mapping[str, Any]) -> None:
    """Add a legend below the axes if there are two or more entries."""
    if len(drawn) > 1:
        longest = max(map(len, drawn))
        columns = max(1, min(4, 90 // (longest + 8)))
        figure.legend(list(drawn.values()), list(drawn), loc="outside lower left", ncols=columns)


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
