"""The description of a sharded index, `shards.json`: one generation over all shards, replaced atomically.

    x.foxir/
      shards.json    the current generation: for each shard its segments and deleted documents
      shard-0000/    an ordinary index of a part of the documents
      shard-0001/    ...

Readers go by this file alone. A shard's own manifest is the same as its entry here, except while a writer is active, or
after one was killed: the next writer restores it. Its format is that of the shards.
"""

from __future__ import annotations

import os
from dataclasses import field
from pathlib import Path
from typing import Any, Self

from engine.errors import INDEX_AGAIN, IndexFormatError
from engine.index.manifest import Manifest, SegmentEntry, Totals, segments_from, totals_from
from engine.index.sealed_file import SealedFile
from engine.records import dataclass

DESCRIPTION = "shards.json"
SHARD = "shard-"
# Largest number of shards: four digits in the name of their folders.
MOST_SHARDS = 9999


@dataclass(frozen=True)
class ShardSegment(SegmentEntry):
    """A live segment of a shard."""

    shard: int = 0

    @property
    def folder(self) -> Path:
        """Its folder, below that of the sharded index."""
        return Path(shard_name(self.shard)) / super().folder


@dataclass(frozen=True)
class Shard:
    """One shard in a generation of the whole: its own generation, its segments and their totals."""

    generation: int = 0
    segments: tuple[SegmentEntry, ...] = ()
    statistics: Totals = field(default_factory=Totals)


@dataclass(frozen=True)
class ShardedManifest(SealedFile):
    """One generation of a sharded index; statistics are over the live documents of all shards."""

    file_name = DESCRIPTION

    analyser: dict[str, Any]
    profile: dict[str, Any]
    shards: tuple[Shard, ...]
    generation: int = 0
    sources: tuple[str, ...] = ()
    statistics: Totals = field(default_factory=Totals)

    def in_folders(self, index: Path) -> list[tuple[Path, Manifest]]:
        """Return the folder and the generation of each shard."""
        return [
            (
                index / shard_name(number),
                Manifest(self.analyser, self.profile, shard.generation, self.sources, shard.segments, shard.statistics),
            )
            for number, shard in enumerate(self.shards)
        ]

    def check_folders(self, index: Path) -> None:
        """Raise IndexFormatError for a shard that is missing, or behind a link."""
        for folder, _ in self.in_folders(index):
            check_is_no_link(folder)
            if not folder.is_dir():
                raise IndexFormatError(f"{folder}: this shard is missing: restore it from a copy, or {INDEX_AGAIN}.")

    def combined(self, chosen: tuple[int, ...] | None = None) -> Manifest:
        """Return the segments of all or the chosen shards as one generation; the statistics are those of all."""
        segments = [
            ShardSegment(entry.name, entry.digest, entry.deleted, number)
            for number, shard in enumerate(self.shards)
            if chosen is None or number in chosen
            for entry in shard.segments
        ]
        return Manifest(self.analyser, self.profile, self.generation, self.sources, tuple(segments), self.statistics)

    @classmethod
    def from_content(cls, content: dict[str, Any]) -> Self:
        """Return the description with this content, checked."""
        shards = tuple(map(_shard, content.pop("shards")))
        if not 1 <= len(shards) <= MOST_SHARDS:
            raise ValueError(f"shards: {len(shards)}")
        whole = Manifest.from_content({**content, "segments": []})
        return cls(whole.analyser, whole.profile, shards, whole.generation, whole.sources, whole.statistics)


def check_is_no_link(folder: Path) -> None:
    """Raise IndexFormatError for a folder of an index that is a link."""
    if folder.is_symlink():
        raise IndexFormatError(f"{folder}: a link, and an index contains none: replace it by what it leads to.")


def shard_name(number: int) -> str:
    """Return the name of a shard's folder."""
    return f"{SHARD}{number:04d}"


def is_sharded(index: Path) -> bool:
    """Return whether a folder contains a sharded index, readable or not."""
    return os.path.isfile(index / DESCRIPTION)  # False where the folder cannot be read, unlike Path.is_file


def _shard(content: dict[str, Any]) -> Shard:
    if type(content["generation"]) is not int:
        raise ValueError("shards: a generation")
    return Shard(content["generation"], segments_from(content["segments"]), totals_from(content["statistics"]))
