"""A generation of an index as a cluster serves it, with the totals over its shards that are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from engine.index.reader import IndexReader
from engine.index.shard_exchange import Key
from foxir.cluster.searcher import MOST_TOTALS
from foxir.cluster.shard_generation import ShardGeneration


class KnownTotals:
    """Totals over all shards by key, MOST_TOTALS of them at most; from there on they are learned again."""

    def __init__(self) -> None:
        self._by_key: dict[Key, Any] = {}
        self._lock = Lock()

    def of(self, keys: Sequence[Key]) -> dict[Key, Any]:
        """Return the totals that are known, of some keys."""
        with self._lock:
            return {key: self._by_key[key] for key in keys if key in self._by_key}

    def add(self, totals: Mapping[Key, Any]) -> None:
        """Keep some more."""
        with self._lock:
            if len(self._by_key) + len(totals) > MOST_TOTALS:
                self._by_key.clear()
            self._by_key.update(totals)


@dataclass(frozen=True)
class Serving:
    """One generation that is served: its shards, and a reader of all of them, which numbers answers."""

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
