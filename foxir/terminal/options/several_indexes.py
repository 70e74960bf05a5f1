"""Several indexes as arguments, `a.foxir b.foxir`, as one, `a.foxir,b.foxir`."""

from __future__ import annotations

import re
from pathlib import Path

from engine.index.generation import is_index
from engine.index.joined import SEPARATOR, parts_of
from engine.notices import Notice
from engine.object_store.url import SCHEMES
from engine.wording import shortened
from foxir.terminal.command_class import LeadingArgument
from foxir.terminal.console import warn


class IndexArgument(LeadingArgument):
    """The index that a command reads; several that follow one another are one."""

    def prepared(self, args: list[str], *, has_query: bool) -> list[str]:
        """Return the arguments with one index."""
        return with_one_index(args, has_query=has_query)


def with_one_index(args: list[str], *, has_query: bool) -> list[str]:
    """Return the arguments with all indexes that come first as one, their places with commas between.

    After the first, an index is what is written like one, the folder `x.foxir`, `./x` or `folder/x`, or a URL, and is
    one: another argument is a word, or what else the command takes.

    Args:
        has_query: whether words follow, so that what is called `x.foxir` may be one; else it is named as no index.
    """
    first = next((number for number, arg in enumerate(args) if all(map(_is_index, parts_of(arg)))), len(args))
    after = first + 1
    while after < len(args) and _is_meant(args[after], has_query=has_query):
        after += 1
    if after < len(args) and re.fullmatch(r"[^\s-][^\s:]*\.foxir/?", args[after]):
        warn(Notice("no_second_index", {"word": shortened(args[after])}))
    return [*args[:first], SEPARATOR.join(args[first:after]), *args[after:]] if after - first > 1 else args


def _is_meant(text: str, *, has_query: bool) -> bool:
    has_name = text.rstrip("/").endswith(".foxir")
    return not text.startswith("-") and (has_name or "/" in text) and ((has_name and not has_query) or _is_index(text))


def _is_index(text: str) -> bool:
    scheme, separator, _ = text.partition("://")
    try:
        return is_index(Path(text)) or (bool(separator) and scheme.lower() in SCHEMES and text.endswith(".foxir"))
    except (OSError, ValueError):  # no name of a folder, but a long query
        return False
