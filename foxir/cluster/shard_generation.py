"""One shard in one generation of an index, as searchers are asked for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.index.generation import n_shards
from engine.index.manifest import Manifest, SegmentEntry
from engine.index.reader import IndexReader
from engine.index.sharded_manifest import ShardSegment
from foxir.searching.index_generation import Generation


@dataclass(frozen=True)
class ShardGeneration:
    """One generation of a shard, as a searcher opens it.

    identity: digest of the generation of the whole index, which distinguishes it from one of the same number that was
    built in its place; manifest: segments of this shard, statistics of all.
    """

    identity: str
    manifest: Manifest


def shard_generations(reader: IndexReader) -> Sequence[ShardGeneration]:
    """Return each shard in the generation of a reader; of an index without shards, the whole."""
    whole, number, identity = reader.manifest, n_shards(reader.folder), Generation.of(reader).digest
    if not number:
        return [ShardGeneration(identity, whole)]
    segments: list[list[SegmentEntry]] = [[] for _ in range(number)]
    for entry in whole.segments:
        segments[entry.shard if isinstance(entry, ShardSegment) else 0].append(entry)
    return [ShardGeneration(identity, replace(whole, segments=tuple(each))) for each in segments]
