"""The argument QUERY: words, one quoted argument, or `-` for stdin; a word may begin with `-`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import click

from engine.errors import QueryError
from engine.system.input_files import MEGABYTE, read_input
from foxir.terminal.command_class import FoxirCommand

FROM_STDIN = "-"
MAX_QUERY_BYTES = 4 * MEGABYTE
# Begins an argument that is a word of the query although it looks like an option; no argument can contain it.
MARK = "\0"
# What no option is written like: a blank before any =.
TEXT = re.compile(r"--[^\s=]*\s")


class QueryCommand(FoxirCommand):
    """A command with the arguments INDEX and QUERY: after INDEX, `-word` is an unwanted word and not an option.

    So is a quoted text that begins with two hyphens, `'--force the lens'`.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; words of the query are marked as no options."""
        return super().parse_args(ctx, list(self._marked(ctx, args)))

    def _marked(self, ctx: click.Context, args: Sequence[str]) -> Iterator[str]:
        options = {name: each for each in self.get_params(ctx) if isinstance(each, click.Option) for name in each.opts}
        letters = "".join(name[1:] for name in options if len(name) == 2)
        flags = "".join(name[1:] for name, each in options.items() if len(name) == 2 and each.is_flag)
        short_options = re.compile(rf"-[{flags}]*[{letters}]?\d*")
        n_arguments, is_value, is_ended = 0, False, False
        for arg in args:
            is_dashed = TEXT.match(arg) if arg.startswith("--") else arg.startswith("-") and len(arg) > 1
            if is_ended:
                pass
            elif is_value:
                is_value = False
            elif arg == "--":
                is_ended = True
            elif arg in options:
                is_value = not options[arg].is_flag
            elif n_arguments and is_dashed and not short_options.fullmatch(arg):
                yield MARK + arg
                continue
            elif not arg.startswith("-") or arg == FROM_STDIN:
                n_arguments += 1
            yield arg


def typed_query(words: Sequence[str]) -> str:
    """Return the words as one query, or the text of stdin if the only word is `-`.

    Raises: QueryError when stdin is not UTF-8, or longer than any query.
    """
    if list(words) != [FROM_STDIN]:
        return " ".join(word.removeprefix(MARK) for word in words)
    try:
        data = read_input(FROM_STDIN, most=MAX_QUERY_BYTES)
    except OSError as error:
        raise QueryError(f"the query on stdin cannot be read: {error.strerror or error}.") from None
    try:
        return data.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise QueryError(f"the query on stdin is not UTF-8: byte {error.start} is 0x{data[error.start]:02x}.") from None


def _from_words_if_given(_ctx: click.Context, _parameter: click.Parameter, value: Any) -> str | None:
    return typed_query(value) if value else None


def require_query(query: str | None) -> None:
    """Raise click.MissingParameter for a missing query, as click does."""
    if query is None:
        raise click.MissingParameter(param_hint="'QUERY...'", param_type="argument")


optional_query_argument = click.argument("query", nargs=-1, callback=_from_words_if_given, metavar="QUERY...")
