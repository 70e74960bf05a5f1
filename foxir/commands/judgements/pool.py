"""`foxir judgements pool`: the top results of runs, to be judged."""

from __future__ import annotations

from pathlib import Path

import click

from foxir.evaluation.judgement_tools import pool
from foxir.terminal.command_class import FoxirCommand, count_option
from foxir.terminal.console import print_result
from foxir.terminal.exit_status import status
from foxir.terminal.options.options import json_option, out_option, quiet_option, runs_argument
from foxir.terminal.output_files import check_one_stdout, check_target, is_stdout, written_file


@click.command(name="pool", cls=FoxirCommand)
@runs_argument()
@count_option("Pool", "--depth", required=True, help="Top results taken of each run for each topic.")
@out_option("The pool: XML if the name ends in .xml, else text.")
@json_option
@quiet_option
def command(runs: tuple[Path, ...], depth: int, out: Path, as_json: bool, quiet: bool) -> int:
    """Collect the top N results of several runs, to be judged.

    \b
    Example:
      foxir judgements pool runs/*.xml --depth 10 --out pool.txt
    """
    check_one_stdout(("--json", as_json), ("--out", is_stdout(out)))
    check_target(out)
    result = pool(runs, depth)
    with written_file(out) as file:
        result.write(file)
    print_result(result, as_json=as_json, quiet=quiet, err=is_stdout(out))
    return status(result.notices)
