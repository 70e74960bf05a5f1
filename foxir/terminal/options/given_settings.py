"""The settings that the options of a command give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click

from engine.errors import SettingsError
from engine.image_search.example_images import are_without_images
from engine.index.reader import IndexReader
from engine.settings import Settings, named_settings, read_settings, task_settings
from engine.settings.given import NAMES_IN_OTHER_PROGRAMS, RENAMED
from engine.settings.rows import KINDS, PREFIX
from engine.settings.unused_options import WITHOUT_IMAGES, check_effect
from engine.similarity.parameters import PARAMETERS
from engine.wording import did_you_mean
from foxir.terminal.console import warn

# Names that --param takes.
FORMULA_PARAMETERS = (*PARAMETERS, *(PREFIX + name for name in PARAMETERS))


def collect(chosen: Mapping[str, Any], task: str | None = None, *, quiet: bool) -> Settings:
    """Return the settings given by options; those of a named run are printed as a notice."""
    given = {name: value for name, value in chosen.items() if value is not None}
    settings_file, named, parameters = (given.pop(name, None) for name in ("settings_file", "named", "parameters"))
    base = read_settings(settings_file) if settings_file is not None else None
    options: dict[str, Any] = dict(task_settings(task)) if task is not None else {}
    if named is not None:
        options.update(named_settings(named))
    given.update(map(_name_and_value, parameters or ()))
    settings = Settings.from_options(base, **{**options, **given})
    check_effect(given, settings)
    if named is not None:
        warn(f"{named}: {', '.join(f'{name} {value}' for name, value in settings.describe().items())}", quiet=quiet)
    return settings


def _name_and_value(assignment: str) -> tuple[str, str]:
    """Return the name and the value of a parameter."""
    name, equals, value = (part.strip() for part in assignment.partition("="))
    if not equals:
        raise SettingsError(f"--param '{assignment}': expected NAME=VALUE, such as --param k1=1.95.")
    instead, _ = NAMES_IN_OTHER_PROGRAMS.get(name, (name, ""))
    setting = name if name in FORMULA_PARAMETERS else RENAMED.get(name, instead)
    if setting in KINDS:
        from foxir.messages.command_line import option_of  # noqa: PLC0415  (only for the message)

        raise SettingsError(f"--param '{assignment}': {name} is a setting: use {option_of(f'{setting}={value}')}.")
    if name not in FORMULA_PARAMETERS:
        raise SettingsError(
            f"--param '{assignment}': '{name}' is not a parameter: {did_you_mean(name, FORMULA_PARAMETERS)}"
            f"those of the article similarity are {', '.join(PARAMETERS)}; those of the element similarity have the "
            f"prefix {PREFIX}."
        )
    return name, value


def check_image_weight(
    index: IndexReader, queries: Iterable[str], settings: Settings, images: Sequence[str] = ()
) -> None:
    """Raise SettingsError where the command was given --image-weight, but none of its queries has an example image."""
    typed = click.get_current_context().params
    if typed["image_weight"] is not None and not images and are_without_images(index, queries, settings):
        raise SettingsError(WITHOUT_IMAGES)
