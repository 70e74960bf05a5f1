"""Settings in TOML files: `name = value` lines."""

from __future__ import annotations

import tomllib
from pathlib import Path

from engine.errors import SettingsError
from engine.input_files import read_small_input
from engine.settings.settings import Settings


def read_settings(path: str | Path, base: Settings | None = None) -> Settings:
    """Return the base (by default the engine's defaults) with the settings of a TOML file changed.

    Raises: SettingsError that names the file, if it cannot be read or a setting in it is not legal.
    """
    try:
        values = tomllib.loads(read_small_input(path).decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:  # unreadable, not UTF-8, not TOML, or nested too deeply
        raise SettingsError(f'{path}: not a settings file ({error}): write lines like  heuristic = "TPF"') from None
    try:
        return Settings.from_options(base, **values)
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}") from None
