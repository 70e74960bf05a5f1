"""The argument QUERY: words, one quoted argument, or `-` for stdin."""

from __future__ import annotations

import sys
from typing import Any

import click

from engine.errors import QueryError

FROM_STDIN = "-"


def read_query(words: tuple[str, ...]) -> str:
    """Return the words as one query, or the text of stdin if the only word is `-`.

    Raises: QueryError when stdin is not UTF-8.
    """
    if words != (FROM_STDIN,):
        return " ".join(words)
    data = sys.stdin.buffer.read()
    try:
        return data.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise QueryError(f"the query on stdin is not UTF-8: byte {error.start} is 0x{data[error.start]:02x}.") from None


def _from_words(_ctx: click.Context, _parameter: click.Parameter, value: Any) -> str:
    return read_query(value if isinstance(value, tuple) else (value,))


query_argument = click.argument("query", nargs=-1, required=True, callback=_from_words, metavar="QUERY...")
one_query_argument = click.argument("query", callback=_from_words)
