"""The settings of a search as options, made of their rows, and the settings that the options give."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import click

from engine.errors import SettingsError
from engine.image_search.example_images import are_without_images
from engine.index.reader import IndexReader
from engine.settings import Settings, named_settings, read_settings, task_settings
from engine.settings.catalogue import (
    ANSWERS,
    BOUNDS,
    FORMER,
    KINDS,
    MEANING,
    PREFIX,
    PRESET,
    RANKING,
    ROWS,
    SCORES,
    STRUCTURE,
    Setting,
)
from engine.settings.given import NAMES_IN_OTHER_PROGRAMS, RENAMED, SIMILARITIES
from engine.settings.kinds.value_types import Choice, Flag
from engine.settings.unused_options import WITHOUT_IMAGES, check_effect
from engine.similarity.named_expressions import is_own
from engine.similarity.parameters import PARAMETERS
from engine.system.input_files import MEGABYTE, read_input
from engine.wording import did_you_mean
from foxir.messages.command_line import SCOPES, option_of
from foxir.results.elements import NeighbourName
from foxir.searching.search_settings import REPEATED, together
from foxir.terminal.command_class import headed_option
from foxir.terminal.console import warn
from foxir.terminal.options.options import OUTPUT, Decorator

# Largest file of document ids.
MOST_OF_IDS = 256 * MEGABYTE
# Names that --param takes.
FORMULA_PARAMETERS = (*PARAMETERS, *(PREFIX + name for name in PARAMETERS))


def collect(chosen: Mapping[str, Any], task: str | None = None, like: Path | None = None, *, quiet: bool) -> Settings:
    """Return the settings given by options; settings of a named run are printed as a notice.

    Args:
        like: a run file with the settings that are changed, None for the defaults.
    """
    given = {name: value for name, value in chosen.items() if value is not None}
    settings_file, named, parameters = (given.pop(name, None) for name in ("settings_file", "named", "parameters"))
    base = _of_run(like, given) if like is not None else None
    base = read_settings(settings_file, base) if settings_file is not None else base
    options: dict[str, Any] = dict(task_settings(task)) if task is not None else {}
    if named is not None:
        options.update(named_settings(named))
    has_own = any(is_own(str(given.get(name) or getattr(base, name, ""))) for name in SIMILARITIES)
    given.update(_name_and_value(each, has_own=has_own) for each in parameters or ())
    if str(given.get("documents", "")).startswith("@"):
        given["documents"] = read_ids(given["documents"][1:])
    settings = Settings.from_options(base, **{**options, **given})
    check_effect(given, settings)
    if named is not None:
        warn(f"{named}: {', '.join(f'{name} {value}' for name, value in settings.describe().items())}", quiet=quiet)
    return settings


def _of_run(file: Path, given: Mapping[str, Any]) -> Settings:
    """Return the settings of a run, and the functions that are given beside it."""
    from engine.runs import read_run  # noqa: PLC0415  (a search without a run does not read XML)
    from foxir.searching.run_origin import settings_like  # noqa: PLC0415

    return settings_like(read_run(file), given)


def read_ids(file: str) -> list[str]:
    """Return the document ids in a file, or on stdin if it is `-`, a line each; raises SettingsError."""
    try:
        text = read_input(file, most=MOST_OF_IDS).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise SettingsError(
            f"--documents @{file}: cannot be read ({why}): expected a file with an id a line."
        ) from None
    return [line.strip() for line in text.splitlines() if line.strip()]


def _name_and_value(assignment: str, *, has_own: bool) -> tuple[str, str]:
    """Return the name and the value of a parameter.

    Args:
        has_own: whether a similarity is a function of the user, whose parameters have names of their own.
    """
    name, equals, value = (part.strip() for part in assignment.partition("="))
    if not equals:
        raise SettingsError(f"--param '{assignment}': expected NAME=VALUE, such as --param k1=1.95.")
    instead, _ = NAMES_IN_OTHER_PROGRAMS.get(name, (name, ""))
    setting = name if name in FORMULA_PARAMETERS else RENAMED.get(name, instead)
    if setting in KINDS:
        from foxir.messages.command_line import option_of  # noqa: PLC0415  (only for the message)

        raise SettingsError(f"--param '{assignment}': {name} is a setting: use {option_of(f'{setting}={value}')}.")
    if name not in FORMULA_PARAMETERS and not has_own:
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


Option = Callable[[Any], Any]
SETS = "Sets of settings"

# Options that are no settings, by heading, in the order of the headings.
OTHERS: dict[str, Sequence[Option]] = {
    # former options of the unit
    ANSWERS: (
        headed_option(ANSWERS, "--passages/--no-passages", default=None, hidden=True),
        headed_option(ANSWERS, "--passage-focus", hidden=True),
    ),
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
    """Return the options of settings, and further ones, by heading."""
    return [
        each
        for topic, others in OTHERS.items()
        for each in (*(_option(row) for row in rows if row.topic == topic), *others)
    ]


def _option(row: Setting) -> Option:
    name = option_of(row.name)
    attributes: dict[str, Any] = {"help": row.described(option_of), "show_default": str(row.default)}
    if isinstance(row.kind, Flag):
        no = f"no-{name[2:]}"
        attributes["show_default"] = name[2:] if row.default else no
        return headed_option(row.topic, f"{name}/--{no}", default=None, **attributes)
    if row.metavar:
        attributes["metavar"] = row.metavar
    if row.name in REPEATED:
        attributes |= {"multiple": True, "callback": lambda _context, _option, given: together(row, given)}
    kind = click.Choice(row.kind.names) if isinstance(row.kind, Choice) and not row.kind.takes_others else None
    names = (name, f"--{row.name}", row.name) if row.name in SCOPES else (name,)
    return headed_option(row.topic, *names, type=kind, **attributes)


# Names of the options as arguments of a command.
NAMES = (*KINDS, *FORMER, "preset", "parameters", "named", "settings_file")


def settings_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the settings of a search to a command as options; it receives them as one argument `settings`.

    From weakest to strongest: the engine's defaults, --like and --task (where the command has them; --settings stands
    between), --named, options.
    """

    @functools.wraps(function)
    def with_settings(**given: Any) -> Any:
        chosen = {name: given.pop(name) for name in NAMES}
        asked = given.get("task"), given.get("like")
        return function(settings=collect(chosen, *asked, quiet=given.get("quiet", False)), **given)

    for option in reversed(options()):
        with_settings = option(with_settings)
    return with_settings


def neighbours_option(help: str) -> Decorator:
    """Return the option that names neighbours of answers, separated by commas; the command receives a tuple."""
    return headed_option(OUTPUT, "--neighbours", metavar="NAME,NAME", callback=_neighbour_names, help=help)


def _neighbour_names(context: click.Context, option: click.Parameter, value: str | None) -> tuple[str, ...]:
    if not value:
        return ()
    names = tuple(name.strip() for name in value.split(","))
    if unknown := [name for name in names if name not in get_args(NeighbourName)]:
        raise click.BadParameter(f"'{unknown[0]}': expected some of {', '.join(get_args(NeighbourName))}.")
    return names
