"""`foxir judgements convert`: judgements in another format."""

from __future__ import annotations

from pathlib import Path

import click

from eval.conversion.convert import TargetFormat
from foxir.terminal.command_class import FoxirCommand
from foxir.terminal.conversion import conversion_options, write_converted
from foxir.terminal.options.options import judgements_argument


@click.command(name="convert", cls=FoxirCommand)
@judgements_argument
@conversion_options("The file of judgements; with --format inex a folder, a file for each topic.")
def command(assessments: Path, format_: TargetFormat, out: Path, index: Path | None, as_json: bool, quiet: bool) -> int:
    """Write judgements in another format: INEX XML, FOL qrels (passages by offset), or TREC qrels (documents).

    JUDGEMENTS are in any format that foxir reads. With --format inex and --index, every element that meets a passage is
    written too.

    \b
    Examples:
      foxir judgements convert topics/qrels.txt --format trec --out -
      foxir judgements convert topics/qrels.txt --format inex --out converted --index demo.foxir
    """
    return write_converted(
        "judgements", assessments, format_=format_, out=out, index=index, as_json=as_json, quiet=quiet
    )
