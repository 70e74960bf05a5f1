"""The settings that the options of a command give; messages name options as they are typed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

import click

from engine.errors import SettingsError
from engine.image_search.example_images import are_without_images
from engine.index.reader import IndexReader
from engine.settings import Settings, named_settings, read_settings, task_settings
from engine.settings.rows import KINDS, PREFIX
from engine.settings.unknown_settings import NAMES_IN_OTHER_PROGRAMS, RENAMED
from engine.settings.unused_options import WITHOUT_IMAGES, UnusedOption, unused_options
from engine.similarity.parameters import PARAMETERS
from engine.wording.did_you_mean import did_you_mean
from foxir.terminal.console import warn

# Options whose names are not words that Python takes as keywords.
SCOPES = {"inside": "--in", "outside": "--not-in"}

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
    try:
        settings = Settings.from_options(base, **{**options, **given})
    except SettingsError as error:
        raise SettingsError(_as_typed(str(error), chosen)) from None
    _refuse_unused(given, settings)
    if named is not None:
        warn(f"{named}: {', '.join(f'{name} {value}' for name, value in settings.describe().items())}", quiet=quiet)
    return settings


def _as_typed(message: str, chosen: Mapping[str, Any]) -> str:
    """Return a message on a setting with the option that was typed: `--in body` for `inside = 'body'`."""
    for setting, option in SCOPES.items():
        if chosen.get(setting) is not None and message.startswith(f"{setting} = "):
            return f"{option} {message.removeprefix(f'{setting} = ')}"
    return message


def option_of(setting: str) -> str:
    """Return the option of a setting, or the name and value that --param takes."""
    if setting in SCOPES:
        return SCOPES[setting]
    return (
        f"--param {setting}"
        if setting in FORMULA_PARAMETERS and setting not in KINDS
        else f"--{setting.replace('_', '-')}"
    )


def _name_and_value(assignment: str) -> tuple[str, str]:
    """Return the name and the value of a parameter."""
    name, equals, value = (part.strip() for part in assignment.partition("="))
    if not equals:
        raise SettingsError(f"--param '{assignment}': expected NAME=VALUE, such as --param k1=1.95.")
    instead, _ = NAMES_IN_OTHER_PROGRAMS.get(name, (name, ""))
    setting = name if name in FORMULA_PARAMETERS else RENAMED.get(name, instead)
    if setting in KINDS:
        raise SettingsError(f"--param '{assignment}': {name} is a setting: use {option_of(setting)} {value}.")
    if name not in FORMULA_PARAMETERS:
        raise SettingsError(
            f"--param '{assignment}': '{name}' is not a parameter: {did_you_mean(name, FORMULA_PARAMETERS)}"
            f"those of the article similarity are {', '.join(PARAMETERS)}; those of the element similarity have the "
            f"prefix {PREFIX}."
        )
    return name, value


# Options that set a setting to one value.
FLAGS = {("passages", "true"): "--passages", ("passages", "false"): "--no-passages", ("image", "FILE"): "--image FILE"}


def _refuse_unused(given: Mapping[str, Any], settings: Settings) -> None:
    """Raise SettingsError for the first option without effect, and name what it needs as one types it."""
    for unused in unused_options(given, settings):
        _refuse(unused)


def check_image_weight(
    index: IndexReader, queries: Iterable[str], settings: Settings, images: Sequence[str] = ()
) -> None:
    """Raise SettingsError where the command was given --image-weight, but none of its queries has an example image."""
    typed = click.get_current_context().params
    if typed["image_weight"] is not None and not images and are_without_images(index, queries, settings):
        _refuse(WITHOUT_IMAGES)


def _refuse(unused: UnusedOption) -> NoReturn:
    needed = unused.needs and FLAGS.get(unused.needs, f"{option_of(unused.needs[0])} {unused.needs[1]}")
    add = f"add {needed}, or " if needed else ""
    found = re.sub(r"\b\w+_\w+\b", lambda name: option_of(name[0]), unused.found)
    raise SettingsError(f"{option_of(unused.name)} is a setting of {unused.owner}; {found}: {add}leave it out.")
