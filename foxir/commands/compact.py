"""`foxir compact`: merge the segments of an index."""

from __future__ import annotations

from pathlib import Path

import click

from engine.index.generation import read_generation
from engine.wording import counted
from foxir.building import compact
from foxir.terminal.command_class import GENERAL, FoxirCommand, headed_option
from foxir.terminal.console import print_json, progress_bar
from foxir.terminal.control_characters import say
from foxir.terminal.exit_status import DONE
from foxir.terminal.options.memory_size import MemorySize
from foxir.terminal.options.options import INDEX_PLACE, json_option, quiet_option


@click.command(name="compact", cls=FoxirCommand)
@click.argument("index", type=INDEX_PLACE)
@headed_option(GENERAL, "--memory", type=MemorySize(), default="1G", help="Maximum memory.")
@json_option
@quiet_option
def command(index: Path | str, memory: int, as_json: bool, quiet: bool) -> int:
    """Merge all segments of an index, or of each shard, into one and drop deleted documents; answers do not change.

    \b
    Example:
      foxir compact demo.foxir
    """
    before = read_generation(_folder(index))
    with progress_bar(quiet=quiet) as progress:
        compact(index, memory, progress)
    after = read_generation(_folder(index))
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
        say(
            f"{index}: {counted(len(before.segments), 'segment')} -> {len(after.segments)}, "
            f"{counted(deleted, 'deleted document')} dropped"
        )
    return DONE


def _folder(index: Path | str) -> Path:
    """Return the folder of an index, or of its local copy."""
    if isinstance(index, Path):
        return index
    from engine.object_store.mirror import open_mirror  # noqa: PLC0415  (an extra)

    return open_mirror(index)
