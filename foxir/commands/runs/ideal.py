"""`foxir runs ideal`: the run that a perfect system would return."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

import click

from engine.runs import format_of
from engine.runs.run_files import Format
from eval.simulation import MAX_ANSWERS, SimulatedKind, simulate
from foxir.terminal.command_class import FoxirCommand, count_option, headed_option
from foxir.terminal.console import print_result, warn
from foxir.terminal.exit_status import DONE
from foxir.terminal.file_endings import other_run_ending
from foxir.terminal.options.options import (
    OUTPUT,
    index_option,
    json_option,
    judgements_argument,
    locator_of,
    out_option,
    quiet_option,
)
from foxir.terminal.output_files import check_one_stdout, check_target, is_stdout, written_file

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
def command(
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
    locator = locator_of(index)
    with written_file(out) as file:
        result = simulate(assessments, kind=kind, out=file, max_answers=max_answers, locator=locator, format=chosen)
    if chosen == "inex" and (other := other_run_ending(out, format_)):
        warn(other, quiet=quiet)
    print_result(replace(result, file=out), as_json=as_json, quiet=quiet, err=is_stdout(out))
    return DONE
