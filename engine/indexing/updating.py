"""Updates and compacts an index of any kind, sharded or not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.collection.ingest_report import IngestReport
from engine.errors import SettingsError
from engine.index.file_names import MANIFEST
from engine.index.sharded_manifest import is_sharded
from engine.indexing.build import update_index
from engine.indexing.build_settings import BuildSettings
from engine.indexing.compaction import compact_index
from engine.indexing.sharded_build import compact_shards, update_shards
from engine.progress import Progress, no_progress


def update(
    index: Path,
    sources: Sequence[str],
    settings: BuildSettings,
    *,
    n_shards: int | None = None,
    forget: Sequence[str] = (),
    progress: Progress = no_progress,
) -> IngestReport:
    """Bring an index of any kind up to date with its sources and return the report; create it if there is none.

    Args:
        n_shards: number of shards of a new index, None for an ordinary one; an existing index keeps its number.
        others: as of `engine.indexing.build.update_index`.
    Raises: as `update_index`; SettingsError for another number of shards than that of the index.
    """
    if is_sharded(index) or (n_shards is not None and not (index / MANIFEST).exists()):
        return update_shards(index, sources, settings, n_shards, forget, progress)
    if n_shards is not None:
        raise SettingsError(f"{index}: an index without shards: omit --shards, or index into a new folder.")
    return update_index(index, sources, settings, forget=forget, progress=progress)


def compact(index: Path, *, memory: int = BuildSettings.memory, progress: Progress = no_progress) -> None:
    """Merge all segments of an index, or of each of its shards, into one without deleted documents.

    Args:
        memory: bytes that may be used.
    """
    if is_sharded(index):
        compact_shards(index, memory, progress)
    else:
        compact_index(index, memory=memory, progress=progress)
