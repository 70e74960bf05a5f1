"""Groups of commands that are imported when they are called, listed under headings in their help."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping
from typing import Any

import click

from engine.records import NamedTuple
from engine.wording import did_you_mean
from foxir.synonyms import COMMANDS as SYNONYMS
from foxir.terminal.exit_status import DONE


def color_setting(environ: Mapping[str, str] = os.environ) -> bool | None:
    """Return False if the environment asks for plain text, True for styles, None if the output stream decides.

    A variable that is empty counts as unset; NO_COLOR takes precedence over FORCE_COLOR.
    """
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return True
    return False if environ.get("TERM") == "dumb" else None


class Entry(NamedTuple):
    """Where a command is defined (`module:name`), and its line in the help of its group."""

    place: str
    line: str


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called: `foxir search` does not load the measures."""

    def __init__(self, *arguments: Any, sections: Mapping[str, Mapping[str, Entry]], **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.sections = sections
        self.entries = {name: entry for entries in sections.values() for name, entry in entries.items()}

    def make_context(self, *arguments: Any, **settings: Any) -> click.Context:
        """Return the context of a call; its commands style their output as the environment asks."""
        return super().make_context(*arguments, **{"color": color_setting(), **settings})

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of the help."""
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by name, None if there is none."""
        if cmd_name not in self.entries:
            return None
        module, _, name = self.entries[cmd_name].place.partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the requested command.

        Raises: click.UsageError for an unknown one, with its present name, what is called so elsewhere, or the nearest.
        """
        if args and args[0] not in self.entries and not args[0].startswith("-"):
            raise click.UsageError(self._unknown(args[0], ctx), ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the requested command; a reader of its output that closes the pipe ends it without an error."""
        try:
            status = super().invoke(ctx)
            if sys.stdout:
                sys.stdout.flush()
            return status
        except BrokenPipeError:
            drop_output()
            return DONE

    def _unknown(self, name: str, ctx: click.Context) -> str:
        from foxir.terminal.renamed_commands import COMMANDS  # noqa: PLC0415  (imports all settings)

        if ctx.parent is None and name in COMMANDS:
            return f"'foxir {name}' is now 'foxir {COMMANDS[name]}'."
        if ctx.parent is None and name in SYNONYMS:
            return f"'{name}' is not a command: use '{SYNONYMS[name]}'."
        hint = did_you_mean(name, self.entries).rstrip() or f"commands are {', '.join(self.entries)}."
        return f"'{name}' is not a command: {hint}"

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings without importing them."""
        width = max(map(len, self.entries))
        for heading, entries in self.sections.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{name:<{width}}", entry.line) for name, entry in entries.items()])


def drop_output() -> None:
    """Redirect stdout to the null device, so flushing buffered output at exit raises no error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
