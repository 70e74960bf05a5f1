"""`foxir runs convert`: a run in another format."""

from __future__ import annotations

from pathlib import Path

import click

from eval.conversion.convert import TargetFormat
from foxir.terminal.command_class import FoxirCommand
from foxir.terminal.conversion import conversion_options, write_converted
from foxir.terminal.options.options import FILE


@click.command(name="convert", cls=FoxirCommand)
@click.argument("run", type=FILE)
@conversion_options("The run file.")
def command(run: Path, format_: TargetFormat, out: Path, index: Path | None, as_json: bool, quiet: bool) -> int:
    """Write a run in another format: INEX XML, the text format of INEX 2009-2010 (fol), or TREC documents.

    RUN is in any format that foxir reads.

    \b
    Examples:
      foxir runs convert runs/scored.xml --format fol --out scored.fol --index demo.foxir
      foxir runs convert runs/scored.xml --format trec --out -
    """
    return write_converted("runs", run, format_=format_, out=out, index=index, as_json=as_json, quiet=quiet)
