"""The settings of a search as options, shared by search, explain and run."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from engine import heuristics
from engine.cli.console import warn
from engine.errors import SettingsError
from engine.settings import CHOICES, Settings, read_settings
from engine.similarity import PARAMETERS, SIMILARITIES
from engine.tasks import named_settings, task_settings

OPTIONS = [
    click.option("--approach", type=click.Choice(CHOICES["approach"]), help="What ranks articles and elements."),
    click.option("--similarity", type=click.Choice(tuple(SIMILARITIES)), help="How articles are ranked."),
    click.option(
        "--set",
        "assignments",
        multiple=True,
        metavar="NAME=VALUE",
        help=f"A parameter of the similarity: k1=1.95; repeatable. Names: {', '.join(PARAMETERS)}.",
    ),
    click.option("--preset", type=click.Choice(["default", "tuned"]), help="Parameters of the similarity."),
    click.option("--match", type=click.Choice(CHOICES["match"]), help="Matches hold any query term, or all."),
    click.option("--matches", metavar="all|N", help="Matches of a topic that go into CREs."),
    click.option("--answers", type=click.Choice(CHOICES["answers"]), help="What is returned."),
    click.option(
        "--heuristic", type=click.Choice(heuristics.NAMES), metavar="MpE|...|TPF|PTF", help="Order inside an article."
    ),
    click.option("--per-article", metavar="N|all", help="Answers an article."),
    click.option("--articles", metavar="N", help="Ranked articles that are searched."),
    click.option("--limit", metavar="N", help="Answers in all."),
    click.option("--overlap", type=click.Choice(CHOICES["overlap"]), help="Answers inside one another."),
    click.option("--reading", type=click.Choice(CHOICES["reading"]), help="How structure in a query is read."),
    click.option(
        "--tags",
        type=click.Choice(CHOICES["tags"]),
        help="Tags in a query: themselves, or their classes in the profile.",
    ),
    click.option("--named", metavar="RUN", help="A run of thesis Table 3.6 or 6.3: H-oCRE-MpE."),
    click.option(
        "--settings", "settings_file", type=click.Path(path_type=Path), metavar="FILE", help="Settings in TOML."
    ),
]

NAMES = (
    *("approach", "similarity", "assignments", "preset", "match", "matches", "answers", "heuristic", "per_article"),
    *("articles", "limit", "overlap", "reading", "tags", "named", "settings_file"),
)


def settings_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the settings of a search as options; it takes them as one argument `settings`.

    From weakest to strongest: the engine's defaults, --settings, --task (where the command has it), --named, options.
    """

    @functools.wraps(function)
    def with_settings(**given: Any) -> Any:
        chosen = {name: given.pop(name) for name in NAMES}
        return function(settings=collect(chosen, given.get("task"), quiet=given.get("quiet", False)), **given)

    for option in reversed(OPTIONS):
        with_settings = option(with_settings)
    return with_settings


def collect(chosen: dict[str, Any], task: str | None = None, *, quiet: bool) -> Settings:
    """Return the settings that options ask for; a named run says what it stands for."""
    settings_file, named, assignments = (chosen.pop(name) for name in ("settings_file", "named", "assignments"))
    base = read_settings(settings_file) if settings_file is not None else None
    options: dict[str, Any] = dict(task_settings(task)) if task is not None else {}
    if named is not None:
        options.update(named_settings(named))
    options.update({name: value for name, value in chosen.items() if value is not None})
    options.update(map(_assigned, assignments))
    settings = Settings.from_options(base, **options)
    if named is not None:
        warn(f"{named}: {', '.join(f'{name} {value}' for name, value in settings.describe().items())}", quiet=quiet)
    return settings


def _assigned(assignment: str) -> tuple[str, str]:
    """Return name and value of a parameter that is set."""
    name, equals, value = (part.strip() for part in assignment.partition("="))
    if not equals:
        raise SettingsError(f"--set '{assignment}': expected NAME=VALUE, such as --set k1=1.95.")
    if name not in PARAMETERS:
        near = difflib.get_close_matches(name, PARAMETERS, 1)
        hint = f"did you mean '{near[0]}'? " if near else ""
        raise SettingsError(f"--set '{assignment}': {hint}parameters of similarities are {', '.join(PARAMETERS)}.")
    return name, value
