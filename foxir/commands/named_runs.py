"""`foxir named`: the runs of the thesis."""

from __future__ import annotations

from typing import Any

import click

from engine.settings.settings import Settings
from engine.settings.tasks import NAMED, named_settings
from foxir.terminal.command_class import FoxirCommand
from foxir.terminal.console import print_json
from foxir.terminal.exit_status import DONE
from foxir.terminal.options.options import json_option


@click.command(name="named", cls=FoxirCommand)
@json_option
def command(as_json: bool) -> int:
    """List the runs of the thesis that --named reproduces, with the settings in which each differs.

    \b
    Examples:
      foxir named
      foxir run demo.foxir topics/co --named H-oCRE-MpE --out runs/thesis.xml
    """
    settings = {name: Settings.from_options(**named_settings(name)).to_dict() for name in NAMED}
    if as_json:
        print_json({"runs": [{"run": name, "settings": each} for name, each in settings.items()]})
        return DONE
    shared = _shared(list(settings.values()))
    width = max(map(len, settings))
    for name, each in settings.items():
        click.echo(f"{name:<{width}}  {_listed({key: value for key, value in each.items() if key not in shared})}")
    click.echo(f"\nAll of them: {_listed(shared)}")
    return DONE


def _shared(settings: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the settings that have one value in all runs."""
    return {key: value for key, value in settings[0].items() if all(each.get(key) == value for each in settings)}


def _listed(settings: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in settings.items())
