"""`foxir runs convert`, `foxir judgements convert`: a file in, the same content in another format out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, get_args

import click

from engine.errors import FoxirError
from eval.conversion import TargetFormat, contains_judgements, read_any
from foxir.evaluation.judgement_tools import convert
from foxir.files import read_assessments, read_run
from foxir.terminal.command_class import FoxirCommand, headed_option
from foxir.terminal.console import print_result
from foxir.terminal.exit_status import status
from foxir.terminal.options.options import (
    FILE,
    OUTPUT,
    index_option,
    json_option,
    judgements_argument,
    out_option,
    quiet_option,
    together,
)
from foxir.terminal.output_files import check_one_stdout, check_target, is_stdout, is_stream, make_folder, written_file


def _options(out: str) -> Callable[[Any], Any]:
    """Return the options of both commands; `out` describes what --out names."""
    return together(
        headed_option(
            OUTPUT,
            "--format",
            "format_",
            required=True,
            type=click.Choice(get_args(TargetFormat)),
            help="Format to write.",
        ),
        out_option(out),
        index_option("Index of the collection; translates element paths to offsets, and back."),
        json_option,
        quiet_option,
    )


@click.command(name="convert", cls=FoxirCommand)
@click.argument("run", type=FILE)
@_options("The run file.")
def runs(run: Path, **given: Any) -> int:
    """Write a run in another format: INEX XML, the text format of INEX 2009-2010 (fol), or TREC documents.

    RUN is in any format that foxir reads.

    \b
    Examples:
      foxir runs convert runs/scored.xml --format fol --out scored.fol --index demo.foxir
      foxir runs convert runs/scored.xml --format trec --out -
    """
    return _write_converted("runs", run, **given)


@click.command(name="convert", cls=FoxirCommand)
@judgements_argument
@_options("The file of judgements; with --format inex a folder, a file for each topic.")
def judgements(assessments: Path, **given: Any) -> int:
    """Write judgements in another format: INEX XML, FOL qrels (passages by offset), or TREC qrels (documents).

    JUDGEMENTS are in any format that foxir reads. With --format inex and --index, every element that meets a passage is
    written too.

    \b
    Examples:
      foxir judgements convert topics/qrels.txt --format trec --out -
      foxir judgements convert topics/qrels.txt --format inex --out converted --index demo.foxir
    """
    return _write_converted("judgements", assessments, **given)


def _write_converted(
    kind: Literal["runs", "judgements"],
    file: Path,
    *,
    format_: TargetFormat,
    out: Path,
    index: Path | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Convert a file of one kind, report on it and return the exit status.

    Raises: click.UsageError for a file of the other kind.
    """
    check_one_stdout(("--json", as_json), ("--out", is_stdout(out)))
    if not out.is_dir():
        check_target(out)
    found: Literal["runs", "judgements"] = "judgements" if contains_judgements(file) else "runs"
    if found != kind:
        _refuse_unreadable(file, kind)
        looks, expected = ("judgements", "a run") if found == "judgements" else ("a run", "judgements")
        raise click.UsageError(f"{file}: looks like {looks}, not {expected}: use 'foxir {found} convert'.")
    if format_ == "inex" and kind == "judgements" and not is_stream(out):  # a folder
        make_folder(out.parent)
        result = convert(file, out, format_, index=index)
    else:
        with written_file(out) as target:
            result = replace(convert(file, target, format_, index=index), written=(out,))
    print_result(result, as_json=as_json, quiet=quiet, err=is_stdout(out))
    return status(result.notices)


def _refuse_unreadable(file: Path, kind: Literal["runs", "judgements"]) -> None:
    """Raise the error of the expected reader for a file that is neither a run nor judgements."""
    try:
        read_any(file)
    except FoxirError:
        read_run(file) if kind == "runs" else read_assessments(file)
