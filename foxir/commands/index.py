"""`foxir index`: files in, an index out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from engine.errors import IndexFormatError
from engine.index.generation import MOST_SHARDS, is_index
from engine.index.missing_index import missing_index
from foxir.building import update
from foxir.terminal.command_class import FoxirCommand, WholeNumber
from foxir.terminal.console import print_json, progress_bar, warn, with_notices
from foxir.terminal.control_characters import say
from foxir.terminal.exit_status import DONE, PARTLY
from foxir.terminal.index_summary import left_out, notes, summary
from foxir.terminal.options.build_options import build_options, build_settings
from foxir.terminal.options.options import INDEX_PLACE, json_option, quiet_option


@click.command(name="index", cls=FoxirCommand)
@click.argument("folders", nargs=-1, type=click.Path(), metavar="INDEX [SOURCE]...")
@click.option("--into", type=INDEX_PLACE, metavar="INDEX", help="The index; with --into, all arguments are sources.")
@click.option(
    "--shards",
    type=WholeNumber(1, MOST_SHARDS),
    metavar="N",
    help="Divide a new index into N shards, for a collection too large for one machine (docs/scale.md).",
)
@build_options
@json_option
@quiet_option
def command(
    folders: tuple[str, ...],
    into: Path | str | None,
    shards: int | None,
    remove: tuple[str, ...],
    exclude: tuple[str, ...],
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> int:
    """Index XML files, or bring an index up to date.

    INDEX is the folder of the index, made if missing. SOURCE is a file, a folder, a quoted pattern
    ('texts/**/*.xml'), an archive (.zip, .tar, .tar.gz, .tar.xz, .tar.zst) or @LIST, a file with one source in each
    line. An index remembers its sources and what is excluded: without SOURCE, all of them are read again and what
    changed is indexed. What cannot be read is skipped and listed; the exit status is then 1.

    \b
    Examples:
      foxir index sample.foxir collections
      foxir index sample.foxir                       # bring up to date
      foxir index collections --into sample.foxir    # the same as the first
      foxir index dictionary.foxir dictionary.xml --split //entry
      foxir index plain.foxir collections/jats --profile none --stem english
      foxir index sample.foxir collections --exclude drafts --exclude '*.old.xml'
      foxir index sample.foxir --remove collections
      foxir index collections --into large.foxir --shards 8
      foxir index collections --into s3://bucket/large.foxir   # extra s3; docs/scale.md
      foxir index collections --into large.foxir --ray auto    # extra cluster
    Not made by 'foxir demo': dictionary.xml, s3://bucket.
    """
    index, sources = (into, folders) if into else _index_and_sources(folders)
    _refuse_indexes(sources)
    if not sources and isinstance(index, Path) and not is_index(index):
        raise IndexFormatError(f"no source: {missing_index(index)}")
    settings = build_settings(**given)
    with progress_bar(quiet=quiet) as progress:
        report = update(index, sources, settings, shards=shards, remove=remove, exclude=exclude, progress=progress)
    for note in notes(report):
        warn(note, quiet=quiet)
    for reason in left_out(report, index):
        warn(reason, quiet=quiet and as_json)  # the report lists them
    is_empty = not report.documents and not remove
    if not report.documents:
        empty = f"{index}: the index is empty: its sources contain no document that can be read."
        warn(empty, quiet=quiet and (as_json or not is_empty))
    if as_json:
        print_json(with_notices(report))
    else:
        say(summary(report, index))
    return PARTLY if report.skipped or is_empty else DONE


def _index_and_sources(folders: Sequence[str]) -> tuple[Path | str, Sequence[str]]:
    """Return the first argument as the folder of the index, and the others as sources.

    Raises: click.UsageError when the first is missing or is a file.
    """
    if not folders:
        raise click.MissingParameter(param_hint="'INDEX'", param_type="argument")
    try:
        return INDEX_PLACE.convert(folders[0], None, None), folders[1:]
    except click.BadParameter as error:
        error.param_hint = "'INDEX'"
        raise


def _refuse_indexes(sources: Sequence[str]) -> None:
    """Refuse an index as a source: INDEX and SOURCE were probably exchanged.

    Raises: click.UsageError.
    """
    for source in sources:
        if is_index(Path(source)):
            raise click.UsageError(
                f"{source}: is an index, not a source. "
                "Expected: foxir index INDEX SOURCE... or foxir index SOURCE... --into INDEX."
            )
