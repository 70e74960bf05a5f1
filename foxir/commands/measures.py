"""`foxir measures`: the families of measures and their definitions."""

from __future__ import annotations

from typing import Any

import click

from eval.measures import FAMILIES
from eval.measures.measure_names import named_family
from eval.measures.reference_page import as_dict, page
from foxir.terminal.command_class import FoxirCommand
from foxir.terminal.console import print_json
from foxir.terminal.exit_status import DONE
from foxir.terminal.options.options import json_option


@click.command(name="measures", cls=FoxirCommand)
@click.argument("name", required=False)
@json_option
def command(name: str | None, as_json: bool) -> int:
    """List the families of evaluation measures, or show the definition of one: formula, options, source.

    \b
    Examples:
      foxir measures
      foxir measures xcg
    """
    families = [named_family(name)] if name else list(FAMILIES.values())
    if as_json:
        document: Any = [as_dict(each) for each in families]
        print_json(document[0] if name else {"families": document})
    elif name:
        click.echo(page(families[0]).removeprefix("## ").replace("`", ""), nl=False)
    else:
        width = max(map(len, FAMILIES))
        for each in families:
            click.echo(f"{each.name:<{width}}  {each.line}")
        click.echo("\n'foxir measures NAME' shows the formula of one and its options.")
    return DONE
