"""What a report says, section by section."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from engine.errors import MeasureError
from eval.curves import curves_of
from eval.plots import available, plot_boxes, plot_correlations, plot_curve, plot_difference, plot_topics, svg
from eval.report.page import Section, page
from eval.sheets.html import html
from eval.sheets.scores import score_sheets, topic_sheets
from eval.statistics.compare import LEVEL, Comparison, compare_series
from eval.statistics.correction import Correction
from eval.statistics.correlate import correlate_series
from eval.statistics.marks import significance_marks
from eval.statistics.series import Series, series_of
from eval.statistics.significance import STANDARD, Resampling, Test
from eval.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAIN = ("AP", "AiP", "AgP", "MAep", "iAP", "AP(element)", "AP(s)")
"""Measures that stand for their family in pictures and tests; a family without them is shown by its first."""

MOST_MEASURES = 16
"""Measures in the heat map: more cannot be read."""

WIDE = 7.0
"""Inches: pictures above do not fit beside each other."""


@dataclass(frozen=True)
class Testing:
    """How differences are tested in a report, and the run that all are compared with."""

    test: Test = "t"
    correct: Correction = "holm"
    level: float = LEVEL
    baseline: str | None = None
    resampling: Resampling = STANDARD


STANDARD_TESTING = Testing()


def report(table: Table, *, title: str = "Evaluation", source: str = "", testing: Testing = STANDARD_TESTING) -> str:
    """Return scores as one HTML page: means, curves, topics, significance, correlation of measures, notices.

    Everything it needs is in it. Without matplotlib it has no pictures and says so. The same scores give the same
    page.

    Raises: MeasureError where there are no scores.
    """
    shown = Table(tuple(row for row in table.rows if not row.is_detail), table.notices)
    if not shown.rows:
        raise MeasureError("there are no scores to report.")
    series = series_of(shown)
    main = _main(series)
    sections = [
        _summary(shown, testing),
        *_curves(table),
        *_by_topic(main),
        *_significance(main, testing),
        *_correlation(series),
        _all_topics(shown),
        *_notices(table.notices),
    ]
    runs = dict.fromkeys(row.run for row in table.rows)
    topics = dict.fromkeys(topic for row in table.rows for topic in row.topics)
    facts = [f"{len(runs)} run{'s' * (len(runs) > 1)}", f"{len(topics)} topics", *([source] if source else [])]
    return page(title, " · ".join(facts), [section for section in sections if section.body])


def _main(series: Sequence[Series]) -> list[Series]:
    """Return the main measure of each family and set of options."""
    families: dict[tuple[str, str], list[Series]] = {}
    for one in series:
        families.setdefault((one.family, str(one.options)), []).append(one)
    return [
        next((s for name in MAIN for s in members if s.measure == name), members[0]) for members in families.values()
    ]


def _summary(table: Table, testing: Testing) -> Section:
    marks = significance_marks(
        table,
        baseline=testing.baseline,
        test=testing.test,
        correct=testing.correct,
        level=testing.level,
        resampling=testing.resampling,
    )
    note = (
        ""
        if available()
        else "<p class=note>No pictures: matplotlib is not installed (pip install 'foxir[plots]').</p>"
    )
    return Section("summary", "Means", "".join(map(html, score_sheets(table, marks=marks))) + note)


def _curves(table: Table) -> Iterator[Section]:
    curves = curves_of(table) if available() else ()
    pictures = [_picture(plot_curve(curve), f"curve{n}", curve.title) for n, curve in enumerate(curves)]
    yield Section("curves", "Curves", f"<div class=grid>{''.join(pictures)}</div>" if pictures else "")


def _by_topic(main: Sequence[Series]) -> Iterator[Section]:
    if not available():
        return
    pictures = []
    for n, series in enumerate(main):
        if not series.topics:
            continue
        if len(series.runs) > 1:
            pictures.append(_picture(plot_boxes(series), f"boxes{n}", f"{series.label} over topics"))
        pictures.append(_picture(plot_topics(series), f"topics{n}", f"{series.label} by topic"))
        best = sorted(series.runs, key=lambda run: -(series.means[run] or 0.0))[:2]
        if len(best) == 2 and len(series.differences(*best)):
            figure = plot_difference(series, *best)
            pictures.append(_picture(figure, f"difference{n}", f"{best[0]} and {best[1]}"))
    yield Section("topics", "Topics", f"<div class=grid>{''.join(pictures)}</div>" if pictures else "")


def _significance(main: Sequence[Series], testing: Testing) -> Iterator[Section]:
    compared = [
        compare_series(series, testing.test, testing.correct, testing.level, testing.resampling)
        for series in main
        if len(series.runs) > 1
    ]
    yield Section("significance", "Significance", "".join(map(_pairs, compared)))


def _pairs(comparison: Comparison) -> str:
    sheet = comparison.sheets()[1]
    if len(sheet.rows) <= 15:
        return html(sheet)
    return f"<details><summary>{escape(sheet.title)}: {escape(sheet.notes[0])}</summary>{html(sheet)}</details>"


def _correlation(series: Sequence[Series]) -> Iterator[Section]:
    n_runs = len({run for one in series for run in one.runs})
    if n_runs < 3 or len(series) < 2:
        return
    found = correlate_series(series[:MOST_MEASURES], "t", "none")
    ranks = html(found.sheets()[0]) if len(found.pairs) <= 15 else ""
    picture = _picture(plot_correlations(found), "tau", found.matrix().title) if available() else html(found.matrix())
    left_out = len(series) - MOST_MEASURES
    note = (
        f"<p class=note>The first {MOST_MEASURES} measures; {left_out} more are left out.</p>" if left_out > 0 else ""
    )
    yield Section("correlation", "Correlation of measures", f"<div class=grid>{picture}{ranks}</div>{note}")


def _all_topics(table: Table) -> Section:
    sheets = topic_sheets(table)
    body = "".join(f"<details><summary>{escape(sheet.title)}</summary>{html(sheet)}</details>" for sheet in sheets)
    return Section("scores", "Scores by topic", body)


def _notices(notices: Sequence[str]) -> Iterator[Section]:
    items = "".join(f"<li>{escape(notice)}</li>" for notice in notices)
    yield Section("notices", "Notices", f"<ul class=notices>{items}</ul>" if items else "")


def _picture(figure: "Figure", name: str, label: str) -> str:
    """Return a picture as HTML; ``name`` keeps its ids apart, ``label`` is for those who cannot see it."""
    kind = "picture wide" if figure.get_figwidth() > WIDE else "picture"
    return f'<figure class="{kind}" role=img aria-label="{escape(label)}">{svg(figure, name)}</figure>\n'
