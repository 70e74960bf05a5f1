"""`foxir measures`: what can be measured, and how it is defined."""

from __future__ import annotations

from typing import Any

import click

from engine.cli.console import json_option, print_json
from engine.cli.main import DONE
from eval.measures import FAMILIES, family
from eval.measures.page import as_dict, page


@click.command(name="measures")
@click.argument("name", required=False)
@json_option
def command(name: str | None, as_json: bool) -> int:
    """List the families of measures, or print the page of one: formula, options, source.

    \b
      foxir measures
      foxir measures xcg
    """
    families = [family(name)] if name else list(FAMILIES.values())
    if as_json:
        document: Any = [as_dict(each) for each in families]
        print_json(document[0] if name else {"families": document})
    elif name:
        click.echo(page(families[0]), nl=False)
    else:
        width = max(map(len, FAMILIES))
        for each in families:
            click.echo(f"{each.name:<{width}}  {each.line}")
        click.echo("\nfoxir measures NAME says how one is defined and which options it has.")
    return DONE
