"""Names in other programs of foxir's functions, commands and parameters: hints in messages about unknown names."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache

from engine.system.files import package_text


@cache
def foreign_names(of: str) -> Mapping[str, str]:
    """Return the name here by name in other programs, from a table of `foreign_names.toml`: "functions", "options" ...

    >>> foreign_names("functions")["load_topics"], foreign_names("options_of.compare")["--measures"]
    ('foxir.read_topics(path)', '--measure NAME')
    """
    table = tomllib.loads(package_text(__name__, "foreign_names.toml"))
    for name in of.split("."):
        table = table.get(name, {})
    return {name: use for use, names in table.items() for name in names.split()}


def no_attribute(of: str, name: str, table: str) -> AttributeError:
    """Return the error for an unknown attribute, with what to use where a table has the name.

    To other names Python itself adds the nearest attribute where it prints the error.
    """
    message = f"{of} has no attribute '{name}'"
    if name not in foreign_names(table):
        return AttributeError(message)
    return AttributeError(f"{message}: use {foreign_names(table)[name]}.", name=name)
