"""`foxir judgements stats`: statistics of the relevant elements of judgements."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click

from eval.judgements.relevance_tables.relevance import By
from foxir.evaluation.judgement_tools import assessment_statistics
from foxir.terminal.command_class import FoxirCommand, headed_option
from foxir.terminal.exit_status import status
from foxir.terminal.options.options import index_option, judgements_argument, quiet_option
from foxir.terminal.score_output import Form, form_options


@click.command(name="stats", cls=FoxirCommand)
@judgements_argument
@headed_option(
    "Tables", "--by", type=click.Choice(get_args(By)), multiple=True, show_default="all", help="Tables to print."
)
@headed_option(
    "Tables", "--mapping", metavar="M1 ... M20", help="Mapping from the grades of 2002-2004 to the relevance scale."
)
@index_option()
@form_options
@quiet_option
def command(
    assessments: Path, by: tuple[By, ...], mapping: str | None, index: Path | None, form: Form, quiet: bool
) -> int:
    """Describe the relevant elements of judgements: by grade, name, exhaustivity and overlap.

    \b
    Examples:
      foxir judgements stats runs/assessments
      foxir judgements stats runs/assessments --by name
    """
    result = assessment_statistics(assessments, by=by or None, mapping=mapping, index=index)
    form.print_result(result, quiet=quiet)
    return status(result.notices)
