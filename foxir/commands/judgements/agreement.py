"""`foxir judgements agreement`: how far two sets of judgements agree."""

from __future__ import annotations

from pathlib import Path

import click

from foxir.evaluation.judgement_tools import agreement
from foxir.terminal.command_class import FoxirCommand
from foxir.terminal.exit_status import status
from foxir.terminal.options.options import FILE, index_option, quiet_option
from foxir.terminal.score_output import Form, form_options


@click.command(name="agreement", cls=FoxirCommand)
@click.argument("first", type=FILE, metavar="JUDGEMENTS")
@click.argument("second", type=FILE, metavar="JUDGEMENTS")
@index_option()
@form_options
@quiet_option
def command(first: Path, second: Path, index: Path | None, form: Form, quiet: bool) -> int:
    """Measure how far two sets of judgements of the same topics agree: documents, elements, characters, grades.

    \b
    Example:
      foxir judgements agreement runs/assessments topics/qrels.txt --index demo.foxir
    """
    result = agreement(first, second, index=index)
    form.print_result(result, quiet=quiet)
    return status(result.notices)
