"""`foxir judgements check`: judgements compared with the collection."""

from __future__ import annotations

from pathlib import Path

import click

from foxir.evaluation.judgement_tools import check_assessments
from foxir.terminal.command_class import FoxirCommand
from foxir.terminal.console import print_result
from foxir.terminal.exit_status import DONE, PARTLY
from foxir.terminal.options.options import (
    json_option,
    judgements_argument,
    quiet_option,
    required_index_option,
)


@click.command(name="check", cls=FoxirCommand)
@judgements_argument
@required_index_option()
@json_option
@quiet_option
def command(assessments: Path, index: Path, as_json: bool, quiet: bool) -> int:
    """Compare judgements with the indexed collection: documents, elements, passages, sizes.

    Nothing is repaired. The exit status is 1 if something differs.

    \b
    Example:
      foxir judgements check runs/assessments --index demo.foxir
    """
    result = check_assessments(assessments, index)
    print_result(result, as_json=as_json, quiet=quiet)
    return PARTLY if result.differences else DONE
