"""The settings of a search as callers give them: a Settings object, a named run, a task, keywords."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from functools import lru_cache
from os import PathLike
from typing import Any, Unpack

from engine.errors import SettingsError
from engine.image_search.example_images import are_without_images
from engine.index.reader import IndexReader
from engine.settings import NAMED, TASKS, SettingOptions, Settings, named_settings, task_settings
from engine.settings.catalogue import Setting
from engine.settings.given import check_types
from engine.settings.unused_options import WITHOUT_IMAGES, check_effect
from foxir import arguments

# Settings that may be given several times, and how their values are one.
REPEATED: Mapping[str, Callable[[Sequence[str]], str]] = {
    "where": lambda conditions: " and ".join(f"({condition})" for condition in conditions),
    "facets": ",".join,
}


def together(row: Setting, given: Sequence[str]) -> str | None:
    """Return several values of a setting as one; the default beside others counts for nothing."""
    values = [value for value in given if value != row.default] or list(given[:1])
    return REPEATED[row.name](values) if len(values) > 1 else next(iter(values), None)


# Settings that are cached for the next call with the same keywords.
N_KNOWN = 256
# Settings that every run has.
OF_EACH_RUN = {"approach", "rank_by"}


class SearchKeywords(SettingOptions, total=False):
    """The keywords of `Index.search`: settings by name, a run of the thesis, a task of INEX."""

    named: str
    task: str


def make_settings(base: Settings | None = None, **keywords: Unpack[SearchKeywords]) -> Settings:
    """Return settings of a search: of `base`, or the defaults, changed by the keywords.

    >>> make_settings(unit="sentence", max_sentences=3)
    Settings(unit='sentence', max_sentences=3)

    Args:
        keywords: settings by name, or all those of a run, which are text: `**read_run("a.xml").settings`; `named`, a
            run of the thesis; `task`, a task of INEX. From weakest to strongest: base, task, named, other keywords.

    Raises: TypeError for a value of a wrong type, such as text for a number; SettingsError that names the setting, the
        value and what is legal, also for a keyword that has no effect together with the other settings (those of base,
        task and named may have none).
    """
    return settings_of(base, keywords)


def settings_of(base: object, keywords: Mapping[str, Any]) -> Settings:
    """Return the settings that a call asks for; raises TypeError, SettingsError."""
    if base is not None and not isinstance(base, Settings):
        is_file = isinstance(base, str | PathLike)
        of_file = " (foxir.read_settings reads a file, foxir.make_settings names a run)" if is_file else ""
        raise arguments.refuse_type("settings", base, f"Settings{of_file}")
    if keywords.keys() >= OF_EACH_RUN and all(isinstance(value, str) for value in keywords.values()):
        return Settings.from_options(base, **keywords)
    check_types(keywords)
    return parsed_settings(base, keywords)


def parsed_settings(base: Settings | None, keywords: Mapping[str, Any]) -> Settings:
    """Return the settings that a call asks for whose values may be text; raises SettingsError."""
    if base is not None and not keywords:
        return base
    if base is None and all(value is None or isinstance(value, str | int | float) for value in keywords.values()):
        return _known_settings(tuple((name, type(value), value) for name, value in keywords.items()))
    return _checked_settings(base, keywords)


@lru_cache(N_KNOWN)
def _known_settings(keywords: tuple[tuple[str, type, str | float | None], ...]) -> Settings:
    """Return the settings of keywords, with their types, as 1 and True are equal; programs repeat them."""
    return _checked_settings(None, {name: value for name, _, value in keywords})


def _checked_settings(base: Settings | None, keywords: Mapping[str, Any]) -> Settings:
    settings = merged_settings(base, keywords)
    check_effect({name: value for name, value in keywords.items() if name not in ("task", "named")}, settings)
    return settings


def check_image_weight(
    keywords: Mapping[str, Any], index: IndexReader, queries: Iterable[str], settings: Settings, images: Sized = ()
) -> None:
    """Raise SettingsError where a call gives `image_weight`, but neither an image nor a query that names one."""
    if "image_weight" in keywords and not len(images) and are_without_images(index, queries, settings):
        raise SettingsError(WITHOUT_IMAGES)


def merged_settings(base: Settings | None, keywords: Mapping[str, Any]) -> Settings:
    """Return the settings of `base` changed by the keywords, whether or not each has an effect."""
    given = dict(keywords)
    task, named = given.pop("task", None), given.pop("named", None)
    if task is None and named is None and not given and base is not None:
        return base
    options: dict[str, Any] = {}
    if task is not None:
        options |= task_settings(arguments.text("task", task))
    if named is not None:
        options |= named_settings(arguments.text("named", named))
    return Settings.from_options(base, **{**options, **given})


def named_runs() -> dict[str, Settings]:
    """Return the runs of the thesis (Tables 3.6 and 6.3) by name, with their settings."""
    return {name: Settings.from_options(**options) for name, options in NAMED.items()}


def tasks() -> dict[str, Settings]:
    """Return the tasks of INEX by name, each as the defaults with the settings of the task."""
    return {name: Settings.from_options(**options) for name, options in TASKS.items()}
