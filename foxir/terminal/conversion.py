"""What `foxir runs convert` and `foxir judgements convert` share: a file in, the same content in another format out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, get_args

import click

from engine.errors import FoxirError
from engine.runs.run_files import read_run
from eval.conversion.convert import TargetFormat, contains_judgements, convert, read_any
from eval.judgements.formats.read import read_assessments
from foxir.terminal.command_class import headed_option
from foxir.terminal.console import print_result
from foxir.terminal.exit_status import status
from foxir.terminal.options.options import (
    OUTPUT,
    index_option,
    json_option,
    locator_of,
    out_option,
    quiet_option,
    together,
)
from foxir.terminal.output_files import check_one_stdout, check_target, is_stdout, is_stream, make_folder, written_file


def conversion_options(out: str) -> Callable[[Any], Any]:
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


def write_converted(
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
    locator = locator_of(index)
    if format_ == "inex" and kind == "judgements" and not is_stream(out):  # a folder
        make_folder(out.parent)
        result = convert(file, format=format_, out=out, locator=locator)
    else:
        with written_file(out) as target:
            result = replace(convert(file, format=format_, out=target, locator=locator), written=(out,))
    print_result(result, as_json=as_json, quiet=quiet, err=is_stdout(out))
    return status(result.notices)


def _refuse_unreadable(file: Path, kind: Literal["runs", "judgements"]) -> None:
    """Raise the error of the reader that is expected for a file that is neither a run nor judgements."""
    try:
        read_any(file)
    except FoxirError:
        read_run(file) if kind == "runs" else read_assessments(file)
