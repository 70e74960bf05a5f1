"""The settings of a search as options, made of their rows; shared by search, explain, run and tune."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from engine.settings.kinds.value_types import Choice, Flag
from engine.settings.rows import ANSWERS, BOUNDS, KINDS, MEANING, PRESET, RANKING, ROWS, SCORES, STRUCTURE, Setting
from foxir.messages.command_line import SCOPES, option_of
from foxir.terminal.command_class import headed_option
from foxir.terminal.options.given_settings import collect

Option = Callable[[Any], Any]
SETS = "Sets of settings"

# Options that are no settings, by heading, in the order of the headings.
OTHERS: dict[str, Sequence[Option]] = {
    ANSWERS: (),
    RANKING: (
        headed_option(
            RANKING,
            "--preset",
            type=click.Choice(PRESET.names),
            help="Parameters of the article similarity.",
        ),
        headed_option(
            RANKING,
            *("--param", "parameters"),
            multiple=True,
            metavar="NAME=VALUE",
            help="A parameter of a similarity, of articles (k1=1.95) or elements (element_k1=3.4); repeatable.",
        ),
    ),
    SCORES: (),
    STRUCTURE: (),
    MEANING: (),
    BOUNDS: (),
    SETS: (
        headed_option(SETS, "--named", metavar="RUN", help="A run of thesis Table 3.6 or 6.3: H-oCRE-MpE."),
        headed_option(
            SETS,
            "--settings",
            "settings_file",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Settings in TOML.",
        ),
    ),
}


def options(rows: Sequence[Setting] = ROWS) -> list[Option]:
    """Return the options of settings, and those beside them, by heading."""
    return [
        each
        for topic, others in OTHERS.items()
        for each in (*(_option(row) for row in rows if row.topic == topic), *others)
    ]


def _option(row: Setting) -> Option:
    name = option_of(row.name)
    attributes = {"help": row.described(option_of), "show_default": str(row.default)}
    if isinstance(row.kind, Flag):
        no = f"no-{name[2:]}"
        attributes["show_default"] = name[2:] if row.default else no
        return headed_option(row.topic, f"{name}/--{no}", default=None, **attributes)
    if row.metavar:
        attributes["metavar"] = row.metavar
    kind = click.Choice(row.kind.names) if isinstance(row.kind, Choice) and not row.kind.takes_others else None
    names = (name, f"--{row.name}", row.name) if row.name in SCOPES else (name,)
    return headed_option(row.topic, *names, type=kind, **attributes)


# Names of the options as arguments of a command.
NAMES = (*KINDS, "preset", "parameters", "named", "settings_file")


def settings_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the settings of a search to a command as options; it receives them as one argument `settings`.

    From weakest to strongest: the engine's defaults, --settings, --task (where the command has it), --named, options.
    """

    @functools.wraps(function)
    def with_settings(**given: Any) -> Any:
        chosen = {name: given.pop(name) for name in NAMES}
        return function(settings=collect(chosen, given.get("task"), quiet=given.get("quiet", False)), **given)

    for option in reversed(options()):
        with_settings = option(with_settings)
    return with_settings
