"""`foxir compare`: significance tests between runs."""

from __future__ import annotations

from pathlib import Path

import click

from eval.statistics.significance_tests import Resampling, TestName
from eval.statistics.testing_options import Correction
from foxir.terminal.command_class import FoxirCommand, headed_option
from foxir.terminal.exit_status import status
from foxir.terminal.options.evaluation_options import MEASURES, EvaluationOptions, scoring_options
from foxir.terminal.options.options import judgements_argument, quiet_option, runs_argument
from foxir.terminal.options.statistics_options import (
    correction_option,
    level_option,
    resampling_options,
    significance_test_option,
)
from foxir.terminal.score_output import Form, form_options


@click.command(name="compare", cls=FoxirCommand)
@judgements_argument
@runs_argument("RUN RUN...")
@headed_option(
    MEASURES, "--measure", required=True, metavar="M", help="Measure to compare: AP, F@10, nxCG@25, inex_eval:AP ..."
)
@significance_test_option("t")
@correction_option("holm")
@level_option
@resampling_options
@scoring_options
@form_options
@quiet_option
def command(
    scoring: EvaluationOptions,
    runs: tuple[Path, ...],
    measure: str,
    test: TestName,
    correction: Correction,
    level: float,
    resamples: int,
    seed: int,
    form: Form,
    quiet: bool,
) -> int:
    """Test every pair of runs for a significant difference under one measure.

    \b
    Examples:
      foxir compare runs/assessments runs/scored.xml runs/fulltext.xml --measure AP --index demo.foxir
      foxir compare runs/assessments runs/*.xml --measure F@10 --index demo.foxir --test wilcoxon --correction holm
    """
    from eval.statistics.run_comparison import compare  # noqa: PLC0415  (scipy is slow to import)
    from eval.statistics.testing_options import SignificanceTesting  # noqa: PLC0415  (scipy is slow to import)

    testing = SignificanceTesting(test, correction, level, Resampling(resamples, seed))
    result = compare(scoring.request([measure]), runs, testing)
    form.print_result(result, quiet=quiet)
    return status(result.notices)
