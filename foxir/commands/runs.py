"""Commands below `foxir runs`: ideal, the run that a perfect system would return; correlate, of measures over runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from engine.runs import format_of
from engine.runs.run_files import Format
from eval.simulation import MAX_ANSWERS, SimulatedKind, Simulation
from foxir.evaluation.judgement_tools import ideal_run
from foxir.evaluation.scoring import correlate, reliability
from foxir.files import write_run
from foxir.terminal.command_class import FoxirCommand, count_option, headed_option
from foxir.terminal.console import print_result, warn
from foxir.terminal.exit_status import DONE, status
from foxir.terminal.options.evaluation_options import (
    MEASURES,
    TESTS,
    correction_option,
    level_option,
    named_measures,
    resampling_options,
    scoring_keywords,
    scoring_options,
    significance_test_option,
)
from foxir.terminal.options.options import (
    OUTPUT,
    index_option,
    json_option,
    judgements_argument,
    out_option,
    plot_option,
    quiet_option,
    runs_argument,
)
from foxir.terminal.output_files import check_one_stdout, check_target, is_stdout, other_run_ending, written_file
from foxir.terminal.score_output import Form, form_options

if TYPE_CHECKING:
    from eval.statistics.measure_correlation import Correlations
    from eval.statistics.reliability import Reliability

RESULTS = "Results of the run"


@click.command(name="ideal", cls=FoxirCommand)
@judgements_argument
@headed_option(
    RESULTS, "--kind", required=True, type=click.Choice(get_args(SimulatedKind)), help="What the run returns."
)
@count_option(RESULTS, "--max-answers", default=MAX_ANSWERS, help="Maximum number of answers to each topic.")
@index_option()
@out_option("The run file.")
@headed_option(
    OUTPUT,
    "--format",
    "format_",
    type=click.Choice(get_args(Format)),
    show_default="by the name: .fol, .trec, else inex; fol for --kind passage",
    help="Format of the run file.",
)
@json_option
@quiet_option
def ideal_command(
    assessments: Path,
    kind: SimulatedKind,
    out: Path,
    format_: Format | None,
    max_answers: int,
    index: Path | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Write the run that a perfect system would return for one kind of answer, best first by F.

    passage: the highlighted passages; bep: best entry points; fullrb: all relevant elements; ea, pa, ba, na: the
    exactly, partially, broadly and narrowly relevant elements.

    \b
    Example:
      foxir runs ideal runs/assessments --kind fullrb --out runs/fullrb.xml
    """
    check_one_stdout(("--json", as_json), ("--out", is_stdout(out)))
    check_target(out)
    chosen = format_ or format_of(out)
    if format_ is None and kind == "passage" and chosen == "inex":
        chosen = "fol"
    run = ideal_run(assessments, kind, max_answers=max_answers, index=index)
    with written_file(out) as file:
        write_run(run, file, chosen)
    if chosen == "inex" and (other := other_run_ending(out, format_)):
        warn(other, quiet=quiet)
    print_result(Simulation(kind, run, out), as_json=as_json, quiet=quiet, err=is_stdout(out))
    return DONE


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
def correlate_command(
    assessments: Path,
    runs: tuple[Path, ...],
    measures: str,
    by_subsets: bool,
    picture: Path | None,
    form: Form,
    quiet: bool,
    **given: Any,
) -> int:
    """Correlate the orders in which measures rank runs, and the pairs of runs that they tell apart.

    \b
    Examples:
      foxir runs correlate runs/assessments runs/*.xml --measures AP,F@10 --index demo.foxir
      foxir runs correlate runs/assessments runs/*.xml --measures AP,F@10 --index demo.foxir --reliability
    """
    if by_subsets and picture:
        raise click.UsageError(
            "--plot draws the correlation of measures, which --reliability does not compute: leave one out."
        )
    names = named_measures(measures)
    result: Reliability | Correlations
    if by_subsets:
        del given["correction"]  # a measure has no number of pairs to correct for
        result = reliability(assessments, runs, names, **scoring_keywords(given, names))
    else:
        result = correlations = correlate(assessments, runs, names, **scoring_keywords(given, names))
        if picture:
            from foxir.evaluation.output import plot  # noqa: PLC0415  (matplotlib is slow to import)

            plot(correlations, picture)
    form.print_result(result, quiet=quiet)
    return status(result.notices)
