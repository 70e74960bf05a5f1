"""Settings in TOML files: `name = value` lines."""

from __future__ import annotations

from pathlib import Path

from engine.errors import SettingsError
from engine.input_files import read_toml
from engine.settings.settings import Settings


def read_settings(path: str | Path, base: Settings | None = None) -> Settings:
    """Return the base (by default the engine's defaults) with the settings of a TOML file changed.

    Raises: SettingsError that names the file, if it cannot be read or a setting in it is not legal.
    """
    try:
        values = read_toml(path)
    except OSError as error:
        raise SettingsError(
            f'{path}: not a settings file ({error.strerror}): write lines like  heuristic = "TPF"'
        ) from None
    try:
        return Settings.from_options(base, **values)
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}") from None
