"""Settings in the description of a run: text, a line `Settings:`, then lines `name = value`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from engine.errors import ArgumentError

HEAD = "Settings:"
LINE = re.compile(r"\s*([^\s=]+) = (.*)")


def whole_description(description: str, settings: Mapping[str, str]) -> str:
    """Return the description with the settings at its end.

    Raises: ArgumentError if a name contains white space or `=`, or a value a line break or outer blanks.
    """
    lines = [f"{name} = {value}" for name, value in settings.items()]
    for line, setting in zip(lines, settings.items(), strict=True):
        found = LINE.fullmatch(line)
        if found is None or found.groups() != setting or len(line.splitlines()) != 1 or line != line.strip():
            raise ArgumentError(f"setting {line!r}: expected a name without blanks, and a value on one line.")
    return "\n".join(filter(None, [description, "\n".join([HEAD, *lines]) if lines else ""]))


def split_description(text: str) -> tuple[str, dict[str, str]]:
    """Return the description without its settings, and the settings.

    >>> split_description("A first run.\\nSettings:\\nsimilarity = pcosine\\ns = 0.2")
    ('A first run.', {'similarity': 'pcosine', 's': '0.2'})
    """
    lines = text.strip().split("\n")
    for start in (i for i, line in enumerate(lines) if line.strip() == HEAD):
        found = [LINE.fullmatch(line.rstrip()) for line in lines[start + 1 :]]
        if found and all(found):
            settings = {match[1]: match[2] for match in found if match}
            return "\n".join(lines[:start]).strip(), settings
    return text.strip(), {}
