"""Scores and other results for people: LaTeX, Markdown, an HTML report, pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

from eval.output.plots import PlotKind
from eval.output.tables import PrintableResult, PrintedTable
from eval.output.tables.markup import latex as latex_of
from eval.output.tables.markup import markdown as markdown_of
from eval.output.tables.score_tables import PrintedScores
from eval.scoring.score_table import ScoreTable
from eval.statistics.measure_correlation import Correlations
from eval.statistics.significance_tests import TestName
from eval.statistics.testing_options import Correction
from eval.tuning.tuning_result import Tuning
from foxir import arguments
from foxir.arguments import PathLike
from foxir.evaluation.inputs import significance_testing


def latex(
    result: ScoreTable | PrintableResult,
    *,
    per_topic: bool = False,
    details: bool = False,
    baseline: str | None = None,
    test: TestName = "t",
    correction: Correction = "holm",
) -> str:
    """Return scores, or another result of the evaluation, as LaTeX tables for the package booktabs.

    >>> print(latex(table, baseline="a"))   # doctest: +SKIP
    \\begin{table}
    ...

    Args:
        result: what `score`, `compare`, `correlate`, `reliability`, `tune`, `pool` or another function returned.
        per_topic: a line for every topic instead of means; of scores only, as are the others.
        details: all points of long curves.
        baseline: a run; marks means that differ significantly from those of this run.
        test, correction: of the marks, as in `compare`.

    Raises: MeasureError for a baseline that is not one of the runs.
    """
    return latex_of(_tables(result, per_topic, details, baseline, test, correction))


def markdown(
    result: ScoreTable | PrintableResult,
    *,
    per_topic: bool = False,
    details: bool = False,
    baseline: str | None = None,
    test: TestName = "t",
    correction: Correction = "holm",
) -> str:
    """Return scores, or another result of the evaluation, as Markdown tables; arguments as in `latex`."""
    return markdown_of(_tables(result, per_topic, details, baseline, test, correction))


def report(
    table: ScoreTable,
    path: PathLike,
    *,
    title: str = "Evaluation",
    source: str = "",
    baseline: str | None = None,
    test: TestName = "t",
    correction: Correction = "holm",
) -> Path:
    """Write scores as one self-contained HTML page and return its path.

    The page has means, curves, topics, significance, correlation of measures, and the notices; without matplotlib it
    has no pictures and says so.

    Args:
        title, source: heading of the page, and what it says about the assessments.
        baseline, test, correction: as in `latex`.

    Raises: MeasureError where there are no scores, for an unknown baseline, and for a path that cannot be written.
    """
    from eval.output import report as reports  # noqa: PLC0415  (slow to import)

    testing = significance_testing(test, correction)
    target = arguments.path("path", path)
    page = reports.report(
        arguments.instance("table", table, ScoreTable),
        title=arguments.unicode_text("title", title),
        source=arguments.unicode_text("source", source),
        testing=testing,
        baseline=arguments.optional(arguments.text, "baseline", baseline),
    )
    return reports.write_report(page, target)


def plot(
    result: ScoreTable | Correlations | Tuning, path: PathLike, *, kind: PlotKind = "auto", measure: str | None = None
) -> Path:
    """Draw scores, correlations of measures or a tuning into an SVG, PNG or PDF file, and return its path.

    >>> plot(table, "scores.svg", kind="boxes", measure="AP")   # doctest: +SKIP
    PosixPath('scores.svg')

    Args:
        kind: of scores: "curve", "topics", "difference" (of two runs), "boxes"; "auto" chooses what fits.
        measure: the measure to draw, for a curve without its point ("iP", "nxCG"); the first if None.

    Raises: MeasureError for an unknown ending, where there is nothing to draw, and without matplotlib.
    """
    from eval.output import plots  # noqa: PLC0415  (matplotlib is slow to import)
    from eval.output.plots.style import check_ending  # noqa: PLC0415

    target = arguments.path("path", path)
    check_ending(target)
    kind = arguments.choice("kind", kind, get_args(PlotKind))
    measure = arguments.optional(arguments.text, "measure", measure)
    if isinstance(result, Correlations):
        return plots.save(plots.plot_correlations(result), target)
    if isinstance(result, Tuning):
        return plots.save(plots.plot_tuning(result), target)
    if not isinstance(result, ScoreTable):
        raise arguments.refuse_type("result", result, "a ScoreTable, Correlations or Tuning")
    return plots.plot(result, target, kind=kind, measure=measure)


def _tables(
    result: object, per_topic: object, details: object, baseline: object, test: object, correction: object
) -> tuple[PrintedTable, ...]:
    """Return a result as printed tables."""
    shown: dict[str, Any] = {
        "per_topic": arguments.flag("per_topic", per_topic),
        "details": arguments.flag("details", details),
    }
    testing = significance_testing(test, correction)
    if not isinstance(result, ScoreTable):
        if not isinstance(result, PrintableResult):
            raise arguments.refuse_type("result", result, "a ScoreTable, or another result of the evaluation")
        return result.tables()
    marks = None
    if baseline is not None:
        from eval.statistics.run_comparison import significance_marks  # noqa: PLC0415  (slow to import)

        marks = significance_marks(result, testing, baseline=arguments.text("baseline", baseline))
    return PrintedScores(result, marks, **shown).tables()
