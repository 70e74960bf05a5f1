"""A report of scores: its sections, and the HTML page of them, self-contained."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import MeasureError, how_to_install
from engine.notices import Message
from engine.system.files import package_text, replace_file, unwritable
from engine.wording import counted
from eval.output.plots import available, plot_boxes, plot_correlations, plot_curve, plot_difference, plot_topics, svg
from eval.output.plots.score_plots import measure_curves
from eval.output.tables.markup import html
from eval.output.tables.printed_table import PrintedTable
from eval.output.tables.score_tables import mean_tables, topic_tables
from eval.scoring.score_table import ScoreTable
from eval.statistics.measure_correlation import correlate_series
from eval.statistics.run_comparison import RunComparison, compare_series, significance_marks
from eval.statistics.score_series import ScoreSeries, series_of
from eval.statistics.testing_options import DEFAULT_TESTING, SignificanceTesting

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Section:
    """A section of the page: anchor, heading, HTML."""

    anchor: str
    heading: str
    body: str


def page(title: str, facts: str, sections: Sequence[Section]) -> str:
    """Return the whole page."""
    style = package_text(__name__, "report.css")
    links = "".join(f'<a href="#{s.anchor}">{escape(s.heading)}</a>' for s in sections)
    body = "".join(f'<section id="{s.anchor}"><h2>{escape(s.heading)}</h2>\n{s.body}</section>\n' for s in sections)
    return (
        "<!doctype html>\n"
        f"<html lang=en><head><meta charset=utf-8><title>{escape(title)}</title>\n"
        '<meta name=viewport content="width=device-width, initial-scale=1">\n'
        f"<style>\n{style}</style></head>\n"
        f"<body><header><h1>{escape(title)}</h1><p>{escape(facts)}</p><nav>{links}</nav></header>\n"
        f"<main>\n{body}</main>\n"
        f"<footer>Made by foxir {escape(version('foxir'))}. Bold: the best of a column. –: not defined.</footer>"
        "</body></html>\n"
    )


def write_report(text: str, file: str | Path) -> Path:
    """Write a page atomically and return its file."""
    file = Path(file)
    try:
        replace_file(file, text.encode())
    except OSError as error:
        raise MeasureError(unwritable(file, error)) from None
    return file


# Main measure of a family in plots and tests, the first that it has; else the first measure of the family.
MAIN = ("AP", "AiP", "AgP", "MAep", "iAP", "AP(element)", "AP(s)")

# Largest number of measures in the heat map, for legibility.
MOST_MEASURES = 16

# Width in inches above which plots are not placed side by side.
WIDE = 7.0


# Tests of a report: Holm's correction, as many runs are compared with one baseline.
REPORT_TESTING = SignificanceTesting(correction="holm")


def report(
    table: ScoreTable,
    *,
    title: str = "Evaluation",
    source: str = "",
    testing: SignificanceTesting = REPORT_TESTING,
    baseline: str | None = None,
) -> str:
    """Return a self-contained HTML page: means, curves, topics, significance, correlation of measures, notices,
    and the settings that the files of the runs record.

    Without matplotlib the page has a note instead of plots. Equal scores give equal pages.

    Raises: MeasureError if there are no scores.
    """
    shown = ScoreTable(tuple(row for row in table.rows if not row.is_detail), table.notices)
    if not shown.rows:
        raise MeasureError("there are no scores to report.")
    series = series_of(shown)
    main = _main(series)
    sections = [
        _summary(shown, testing, baseline),
        *_curves(table),
        *_by_topic(main),
        *_significance(main, testing),
        *_correlation(series),
        _all_topics(shown),
        *_notices(table.notices),
        *_settings(table.settings),
    ]
    runs = dict.fromkeys(row.run for row in table.rows)
    topics = dict.fromkeys(topic for row in table.rows for topic in row.topics)
    facts = [f"{len(runs)} run{'s' * (len(runs) > 1)}", f"{len(topics)} topics", *([source] if source else [])]
    return page(title, " · ".join(facts), [section for section in sections if section.body])


def _settings(of_runs: Mapping[str, Mapping[str, str]]) -> Iterator[Section]:
    """Yield the section of the settings that the files of the runs record: those that differ, the others folded."""
    if not of_runs:
        return
    names = dict.fromkeys(name for settings in of_runs.values() for name in settings)
    values = {name: [settings.get(name, "") for settings in of_runs.values()] for name in names}
    differing = [[name, *each] for name, each in values.items() if len(set(each)) > 1]
    alike = [[name, each[0]] for name, each in values.items() if len(set(each)) == 1]
    body = html(PrintedTable.of("", ["setting", *of_runs], differing)) if differing else ""
    if alike:
        is_open = "" if differing else " open"
        shown = html(PrintedTable.of("", ["setting", "value"], alike))
        body += f"<details{is_open}><summary>{counted(len(alike), 'setting')} of all runs</summary>{shown}</details>"
    yield Section("settings", "Settings of the runs", body)


def _main(series: Sequence[ScoreSeries]) -> list[ScoreSeries]:
    """Return the main measure of each family and set of options."""
    families: dict[tuple[str, str], list[ScoreSeries]] = {}
    for one in series:
        families.setdefault((one.family, str(one.options)), []).append(one)
    return [
        next((s for name in MAIN for s in members if s.measure == name), members[0]) for members in families.values()
    ]


def _summary(table: ScoreTable, testing: SignificanceTesting, baseline: str | None) -> Section:
    marks = significance_marks(table, testing, baseline=baseline)
    note = (
        "" if available() else f"<p class=note>No plots: matplotlib is not installed ({how_to_install('plots')}).</p>"
    )
    return Section("summary", "Means", "".join(map(html, mean_tables(table, marks=marks))) + note)


def _curves(table: ScoreTable) -> Iterator[Section]:
    curves = measure_curves(table) if available() else ()
    pictures = [_picture(plot_curve(curve), f"curve{n}", curve.title) for n, curve in enumerate(curves)]
    yield Section("curves", "Curves", f"<div class=grid>{''.join(pictures)}</div>" if pictures else "")


def _by_topic(main: Sequence[ScoreSeries]) -> Iterator[Section]:
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


def _significance(main: Sequence[ScoreSeries], testing: SignificanceTesting) -> Iterator[Section]:
    compared = [compare_series(series, testing) for series in main if len(series.runs) > 1]
    yield Section("significance", "Significance", "".join(map(_pairs, compared)))


def _pairs(comparison: RunComparison) -> str:
    table = comparison.tables()[1]
    if len(table.rows) <= 15:
        return html(table)
    return f"<details><summary>{escape(table.title)}: {escape(table.notes[0])}</summary>{html(table)}</details>"


def _correlation(series: Sequence[ScoreSeries]) -> Iterator[Section]:
    n_runs = len({run for one in series for run in one.runs})
    if n_runs < 3 or len(series) < 2:
        return
    found = correlate_series(series[:MOST_MEASURES], DEFAULT_TESTING)
    ranks = html(found.tables()[0]) if len(found.pairs) <= 15 else ""
    picture = _picture(plot_correlations(found), "tau", found.matrix().title) if available() else html(found.matrix())
    n_more = len(series) - MOST_MEASURES
    note = f"<p class=note>The first {MOST_MEASURES} measures; {n_more} more are omitted.</p>" if n_more > 0 else ""
    yield Section("correlation", "Correlation of measures", f"<div class=grid>{picture}{ranks}</div>{note}")


def _all_topics(table: ScoreTable) -> Section:
    tables = topic_tables(table)
    body = "".join(f"<details><summary>{escape(table.title)}</summary>{html(table)}</details>" for table in tables)
    return Section("scores", "Scores by topic", body)


def _notices(notices: Sequence[Message]) -> Iterator[Section]:
    items = "".join(f"<li>{escape(str(notice))}</li>" for notice in notices)
    yield Section("notices", "Notices", f"<ul class=notices>{items}</ul>" if items else "")


def _picture(figure: Figure, name: str, label: str) -> str:
    """Return a figure as HTML; ``name`` prefixes its ids, ``label`` is its text alternative."""
    kind = "picture wide" if figure.get_figwidth() > WIDE else "picture"
    return f'<figure class="{kind}" role=img aria-label="{escape(label)}">{svg(figure, name)}</figure>\n'
