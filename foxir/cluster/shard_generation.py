"""A generation of an index as a cluster serves it: its shards, the nodes of their copies, the totals that are known.

Nodes are chosen by rendezvous hashing, so that a node more or less moves few copies. Source: Thaler and Ravishankar,
Using name-based mappings to increase hit rates, IEEE/ACM ToN 1998.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

from engine.index.generation import ShardSegment, n_shards
from engine.index.manifest import Manifest, SegmentEntry
from engine.index.reader import IndexReader
from engine.index.shard_exchange import Key
from foxir.searching.opened_folder import Generation


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


def nodes_of(shard: int, nodes: Sequence[str], n_replicas: int) -> list[str]:
    """Return the nodes of the copies of a shard by largest hash; nodes occur twice where there are too few.

    >>> nodes_of(3, ["a", "b"], 3) == [*nodes_of(3, ["b", "a"], 2), nodes_of(3, ["a", "b"], 1)[0]]
    True
    """
    ranked = sorted(nodes, key=lambda node: hashlib.sha256(f"{node} {shard}".encode()).digest(), reverse=True)
    return [ranked[copy % len(ranked)] for copy in range(n_replicas)]


def better_node(shard: int, copy: int, placed: Sequence[str], alive: Sequence[str]) -> str | None:
    """Return the node that a copy is to move to: if its own is gone, or has another copy while one is free; else None.

    Args:
        placed: the nodes of all copies of the shard.

    >>> better_node(3, 1, ["a", "b"], ["a", "b", "c"]), better_node(3, 1, ["a", "b"], ["a", "c"])
    (None, 'c')
    >>> better_node(3, 1, ["a", "a"], ["a"]), better_node(3, 1, ["a", "a"], ["a", "b"])
    (None, 'b')
    """
    is_gone = placed[copy] not in alive
    if not alive or (not is_gone and placed[copy] not in placed[:copy]):
        return None
    ranked = nodes_of(shard, alive, len(alive))
    free = [node for node in ranked if node not in placed]
    return free[0] if free else ranked[0] if is_gone else None


# Totals that a searcher and the coordinator keep.
MOST_TOTALS = 200_000


class KnownTotals:
    """Totals over all shards by key, at most MOST_TOTALS; beyond, they are learned again."""

    def __init__(self) -> None:
        self._by_key: dict[Key, Any] = {}
        self._lock = Lock()

    def of(self, keys: Sequence[Key]) -> dict[Key, Any]:
        """Return the known totals of the keys."""
        with self._lock:
            return {key: self._by_key[key] for key in keys if key in self._by_key}

    def add(self, totals: Mapping[Key, Any]) -> None:
        """Keep further totals."""
        with self._lock:
            if len(self._by_key) + len(totals) > MOST_TOTALS:
                self._by_key.clear()
            self._by_key.update(totals)


@dataclass(frozen=True)
class Serving:
    """One served generation: its shards, and a reader of all shards, which numbers answers."""

    shards: Sequence[ShardGeneration]
    reader: IndexReader
    first_documents: Sequence[int]
    first_rows: Sequence[int]
    first_images: Sequence[int]
    totals: KnownTotals = field(default_factory=KnownTotals)

    @classmethod
    def of(cls, shards: Sequence[ShardGeneration], reader: IndexReader) -> Serving:
        """Return a generation; the segments of the reader are those of the shards, one after the other."""
        ends = [0]
        for shard in shards:
            ends.append(ends[-1] + len(shard.manifest.segments))
        elements = reader.elements
        return cls(
            shards,
            reader,
            [int(elements.document_base[end]) for end in ends[:-1]],
            [int(elements.row_base[end]) for end in ends[:-1]],
            [reader.images.first_image(end) for end in ends[:-1]],
        )
