"""`foxir mcp`: search, read, outline and explain for language models, on standard input and output."""

from __future__ import annotations

from pathlib import Path

import click

from engine.errors import ArgumentError, how_to_install
from foxir.terminal.command_class import FoxirCommand
from foxir.terminal.exit_status import DONE
from foxir.terminal.options.options import INDEX_FOLDER


@click.command(name="mcp", cls=FoxirCommand)
@click.argument("indexes", type=INDEX_FOLDER, nargs=-1, required=True, metavar="INDEX...")
def command(indexes: tuple[Path, ...]) -> int:
    """Let a language model search and read indexes, over the Model Context Protocol on standard input and output.

    A program that speaks the protocol starts this command itself.

    \b
    Example:
      foxir mcp demo.foxir
    """
    try:
        from foxir.service.mcp_server import serve_stdio  # noqa: PLC0415  (an extra, and slow to import)
        from foxir.service.options import ServiceOptions  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ArgumentError(f"this needs {error.name}: {how_to_install('mcp')}.") from None
    serve_stdio(ServiceOptions(indexes, quiet=True))
    return DONE
