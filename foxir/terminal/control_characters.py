"""Escapes for terminal control: escape sequences, control characters and bidirectional overrides.

Documents, names and an index may come from a stranger. What is printed for people goes through here.
"""

from __future__ import annotations

import re
from typing import Any

import click

# C0 but for tab and line feed, DEL, C1, separators of lines, bidirectional embeddings, overrides and isolates
STEERING = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
BREAKS = re.compile("[\t\n]")


def visible(text: str, *, keep: str = "") -> str:
    """Return a text, of any number of lines, with control characters escaped except those in `keep`.

    >>> visible("red\\x1b[31m, back\\u202e")
    'red\\\\x1b[31m, back\\\\u202e'
    """
    return STEERING.sub(lambda found: found[0] if found[0] in keep else _escaped(found), text)


def visible_line(text: str) -> str:
    """Return a single line with control characters escaped, tabs and line feeds included."""
    return BREAKS.sub(_escaped, visible(text))


def visible_json(text: str) -> str:
    """Return equivalent JSON with control characters escaped."""
    return STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def say(message: object, *, err: bool = False) -> None:
    """Print plain text, or the sentence of a notice or an error, with control characters escaped."""
    click.echo(visible(sentence_of(message)), err=err)


def sentence_of(message: object) -> str:
    """Return plain text as it is; of notices and errors the sentence of the command line."""
    if isinstance(message, str):
        return message
    from foxir.messages.command_line import sentence  # noqa: PLC0415  (most commands have nothing to say)

    return sentence(message)


def _escaped(found: re.Match[str]) -> str:
    return repr(found[0])[1:-1]


class Visible:
    """A Rich renderable with control characters escaped in its texts."""

    def __init__(self, renderable: Any) -> None:
        self._renderable = renderable

    def __rich_console__(self, console: Any, options: Any) -> Any:
        """Yield the segments to print."""
        for segment in console.render(self._renderable, options):
            yield segment if segment.control else segment._replace(text=visible(segment.text))
