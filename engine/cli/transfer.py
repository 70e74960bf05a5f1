"""Commands from files to files: `foxir convert` and `foxir pool`."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click

from engine.cli.console import INDEX_FOLDER, json_option, print_result, quiet_option
from engine.cli.files import check_target, make_folder
from engine.cli.geometry import geometry_of
from engine.cli.status import status
from eval.convert import Format, convert
from eval.pool import pool


@click.command(name="convert")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--to", required=True, type=click.Choice(get_args(Format)), help="The format wanted.")
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="FILE", help="Where it goes.")
@click.option("--index", "index", type=INDEX_FOLDER, help="Index of the collection: paths to offsets, and back.")
@json_option
@quiet_option
def convert_command(file: Path, to: Format, out: Path, index: Path | None, as_json: bool, quiet: bool) -> int:
    """Write a run or judgements in another format.

    FILE is a run or judgements in any format that foxir reads; judgements to inex go into a folder, a file a topic.

    \b
      foxir convert runs/a.xml --to fol --out runs/a.fol --index wiki.foxir
      foxir convert qrels.txt --to inex --out assessments/ --index wiki.foxir
    """
    if not out.is_dir():
        check_target(out)
    make_folder(out.parent)
    result = convert(file, to=to, out=out, geometry=geometry_of(index))
    print_result(result, as_json=as_json, quiet=quiet)
    return status(result.notices)


@click.command(name="pool")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option("--depth", required=True, type=click.IntRange(min=1), metavar="N", help="Results of each run and topic.")
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="FILE", help=".xml, or text otherwise.")
@json_option
@quiet_option
def pool_command(runs: tuple[Path, ...], depth: int, out: Path, as_json: bool, quiet: bool) -> int:
    """Make a pool for judging: what any run has among its first N results.

    \b
      foxir pool runs/*.xml --depth 100 --out pool.xml
    """
    check_target(out)
    make_folder(out.parent)
    result = pool(runs, depth=depth)
    result.write(out)
    print_result(result, as_json=as_json, quiet=quiet)
    return status(result.notices)
