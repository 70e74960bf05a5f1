"""`foxir runs correlate`: rank correlation of measures over runs."""

from __future__ import annotations

from pathlib import Path

import click

from eval.statistics.significance_tests import Resampling, TestName
from eval.statistics.testing_options import Correction
from foxir.terminal.command_class import FoxirCommand, headed_option
from foxir.terminal.exit_status import status
from foxir.terminal.options.evaluation_options import MEASURES, EvaluationOptions, scoring_options
from foxir.terminal.options.options import judgements_argument, plot_option, quiet_option, runs_argument
from foxir.terminal.options.statistics_options import (
    TESTS,
    correction_option,
    level_option,
    resampling_options,
    significance_test_option,
)
from foxir.terminal.score_output import Form, form_options


@click.command(name="correlate", cls=FoxirCommand)
@judgements_argument
@runs_argument("RUN RUN...")
@headed_option(MEASURES, "--measures", required=True, metavar="M,M", help="Measures: AP,nxCG@10,inex_eval:AP.")
@headed_option(
    TESTS, "--reliability", "by_subsets", is_flag=True, help="Report the error rate of each measure over topic subsets."
)
@significance_test_option("bootstrap")
@correction_option("by")
@level_option
@resampling_options
@plot_option("Draw the correlations as a heat map")
@scoring_options
@form_options
@quiet_option
def command(
    scoring: EvaluationOptions,
    runs: tuple[Path, ...],
    measures: str,
    test: TestName,
    correction: Correction,
    level: float,
    resamples: int,
    seed: int,
    by_subsets: bool,
    picture: Path | None,
    form: Form,
    quiet: bool,
) -> int:
    """Correlate the orders in which measures rank runs, and the pairs of runs that they tell apart.

    \b
    Examples:
      foxir runs correlate runs/assessments runs/*.xml --measures AP,F@10 --index demo.foxir
      foxir runs correlate runs/assessments runs/*.xml --measures AP,F@10 --index demo.foxir --reliability
    """
    from eval.statistics.measure_correlation import correlate  # noqa: PLC0415  (scipy is slow to import)
    from eval.statistics.reliability import reliability  # noqa: PLC0415  (scipy is slow to import)
    from eval.statistics.testing_options import SignificanceTesting  # noqa: PLC0415  (scipy is slow to import)

    request = scoring.request([name.strip() for name in measures.split(",")])
    testing = SignificanceTesting(test, correction, level, Resampling(resamples, seed))
    if by_subsets:
        if picture:
            raise click.UsageError(
                "--plot draws the correlation of measures, which --reliability does not compute: leave one out."
            )
        subsets = reliability(request, runs, testing)
        form.print_result(subsets, quiet=quiet)
        return status(subsets.notices)
    result = correlate(request, runs, testing)
    if picture:
        from eval.output.plots import plot_correlations, save  # noqa: PLC0415  (matplotlib is slow to import)

        save(plot_correlations(result), picture)
    form.print_result(result, quiet=quiet)
    return status(result.notices)
