"""Settings in TOML files: `name = value` lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from engine.errors import SettingsError
from engine.settings.settings import Settings
from engine.system.input_files import parsed_toml, read_small_text

# The first and the last line of a written file, by which one that was cut is recognised; other files need neither.
END = "# end of settings"
BEGIN = f"# Settings of foxir; the last line is '{END}'"
# The line of a written file by which one that lost lines in the middle is recognised.
COUNT = "# settings above: "
COUNTED = re.compile(r"[0-9]{1,9}")


def read_settings(path: str | Path, base: Settings | None = None) -> Settings:
    """Return the base (by default the engine's defaults) with the settings of a TOML file changed.

    Raises: SettingsError that names the file, if it cannot be read, was written by foxir and is not whole, or a setting
        in it is not legal.
    """
    try:
        text = read_small_text(path)
        if not text.strip():
            raise SettingsError(
                f'{path}: the file is empty: write lines like  heuristic = "TPF", or name another file.'
            )
        lines = [line.strip() for line in text.splitlines()]
        if BEGIN in lines and END not in lines:
            raise SettingsError(
                f"{path}:{len(lines)}: the file ends before its last line, '{END}': it was cut, so settings are "
                "missing. Copy or write it again; if it is meant to be so, remove its first line."
            )
        values = parsed_toml(text, path)
        _check_count(path, lines, len(values))
    except OSError as error:
        raise SettingsError(
            f'{path}: not a settings file ({error.strerror}): write lines like  heuristic = "TPF"'
        ) from None
    try:
        return Settings.from_options(base, **values)
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}") from None


def _check_count(path: str | Path, lines: Sequence[str], found: int) -> None:
    """Raise SettingsError if a file that foxir wrote has fewer settings than it says."""
    counts = [line.removeprefix(COUNT) for line in lines if line.startswith(COUNT)] if BEGIN in lines else []
    if counts and COUNTED.fullmatch(counts[-1]) and found < int(counts[-1]):
        raise SettingsError(
            f"{path}: has {found} settings, {counts[-1]} were written: lines are missing, and defaults would take "
            f"their place. Copy or write it again; if it is meant to be so, remove the line '{COUNT}{counts[-1]}'."
        )
