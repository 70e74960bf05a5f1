"""The argument QUERY: words, one quoted argument, or `-` for stdin."""

from __future__ import annotations

from typing import Any

import click

from engine.errors import QueryError
from engine.input_files import MEGABYTE, read_input

FROM_STDIN = "-"
MAX_QUERY_BYTES = 4 * MEGABYTE


def read_query(words: tuple[str, ...]) -> str:
    """Return the words as one query, or the text of stdin if the only word is `-`.

    Raises: QueryError when stdin is not UTF-8, or longer than any query.
    """
    if words != (FROM_STDIN,):
        return " ".join(words)
    try:
        data = read_input(FROM_STDIN, most=MAX_QUERY_BYTES)
    except OSError as error:
        raise QueryError(f"the query on stdin cannot be read: {error.strerror or error}.") from None
    try:
        return data.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise QueryError(f"the query on stdin is not UTF-8: byte {error.start} is 0x{data[error.start]:02x}.") from None


def _from_words(_ctx: click.Context, _parameter: click.Parameter, value: Any) -> str:
    return read_query(value if isinstance(value, tuple) else (value,))


query_argument = click.argument("query", nargs=-1, required=True, callback=_from_words, metavar="QUERY...")
one_query_argument = click.argument("query", callback=_from_words)
