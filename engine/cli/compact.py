"""`foxir compact`: one segment instead of several."""

from __future__ import annotations

from pathlib import Path

import click

from engine.cli.console import counted, index_argument, json_option, print_json, progress_bar, quiet_option
from engine.cli.main import DONE
from engine.index.builder import compact_index
from engine.index.index import open_index


@click.command(name="compact")
@index_argument
@json_option
@quiet_option
def command(index: Path, as_json: bool, quiet: bool) -> int:
    """Merge all segments of an index to one, without deleted documents. Answers do not change."""
    before = open_index(index).manifest
    with progress_bar(quiet=quiet) as progress:
        after = compact_index(index, progress=progress)
    deleted = sum(len(entry.deleted) for entry in before.segments)
    document = {
        "index": str(index),
        "segments_before": len(before.segments),
        "segments": len(after.segments),
        "deleted_documents_dropped": deleted,
        "generation": after.generation,
    }
    if as_json:
        print_json(document)
    else:
        click.echo(
            f"{index}: {counted(len(before.segments), 'segment')} -> {len(after.segments)}, "
            f"{counted(deleted, 'deleted document')} dropped"
        )
    return DONE
