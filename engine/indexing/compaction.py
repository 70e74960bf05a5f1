"""Compacts an index: all segments merged into one, without deleted documents."""

from __future__ import annotations

from pathlib import Path

from engine.index.generation import open_segments
from engine.index.manifest import Manifest
from engine.index.modification_times import carry_times
from engine.indexing.build_settings import BuildSettings
from engine.indexing.commit import merge_segments, publish
from engine.indexing.shard_folders import check_is_no_shard
from engine.indexing.writing import check_folder, writing
from engine.progress import Progress, no_progress


def compact_index(index: Path, *, memory: int = BuildSettings.memory, progress: Progress = no_progress) -> Manifest:
    """Merge all segments into one without deleted documents; return the new generation.

    Args:
        memory: bytes that may be used; what is written does not depend on it.
    """
    Manifest.read(index)  # raises an error before a lock is created in a folder that is not an index
    check_folder(index)
    check_is_no_shard(index)
    with writing(index):
        old = Manifest.read(index)
        new = merge_all(index, old, progress, memory)
        carry_times(index, old, new)
        return new


def merge_all(index: Path, old: Manifest, progress: Progress, memory: int) -> Manifest:
    """Publish a generation of one segment without deleted documents, unless there is one already; return it."""
    if len(old.segments) <= 1 and not any(entry.deleted for entry in old.segments):
        open_segments(index, old)  # raises an error if the segment cannot be read
        return old
    merged = merge_segments(index, old, old.segments, progress, memory)
    return publish(index, old, old.sources, merged)
