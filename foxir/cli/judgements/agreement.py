"""`foxir judgements agreement`: how far two sets of judgements agree."""

from __future__ import annotations

from pathlib import Path

import click

from eval.judgements.agreement import agreement
from foxir.cli.command_class import FoxirCommand
from foxir.cli.console import print_result
from foxir.cli.exit_status import status
from foxir.cli.options import FILE, index_option, json_option, locator_of, quiet_option


@click.command(name="agreement", cls=FoxirCommand)
@click.argument("first", type=FILE, metavar="JUDGEMENTS")
@click.argument("second", type=FILE, metavar="JUDGEMENTS")
@index_option()
@json_option
@quiet_option
def command(first: Path, second: Path, index: Path | None, as_json: bool, quiet: bool) -> int:
    """Measure how far two sets of judgements of the same topics agree: documents, elements, characters, grades.

    \b
    Example:
      foxir judgements agreement runs/assessments topics/qrels.txt --index demo.foxir
    """
    result = agreement(first, second, locator=locator_of(index))
    print_result(result, as_json=as_json, quiet=quiet)
    return status(result.notices)
