"""The current generation of an index, sharded or not, and its segments, opened.

A sharded index has a description, `shards.json`: one generation over all shards, replaced atomically.

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

from engine.collection.profiles.profile import Profile
from engine.collection.profiles.profile_files import digest_of
from engine.errors import INDEX_AGAIN, IndexFormatError
from engine.index.file_names import MANIFEST
from engine.index.manifest import Manifest, SegmentEntry, Totals, segments_from, totals_from
from engine.index.sealed_file import SealedFile
from engine.index.segment import Segment
from engine.records import dataclass
from engine.system.platform import is_link

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
    if is_link(folder):
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


# What defines a generation: the manifest of an index without shards, or the description of a sharded one.
Generation = Manifest | ShardedManifest


def is_index(folder: Path) -> bool:
    """Return whether a folder contains an index, readable or not."""
    return (folder / MANIFEST).is_file() or is_sharded(folder)


def n_shards(index: Path) -> int:
    """Return the number of shards of an index, 0 of one without; raises IndexFormatError."""
    return len(ShardedManifest.read(index).shards) if is_sharded(index) else 0


def read_generation(index: Path) -> Manifest:
    """Return the current generation of an index; of a sharded index, the segments of all shards as one.

    Raises: IndexFormatError if the index or a shard is missing, damaged, a link or of another format version.
    """
    if not is_sharded(index):
        if not os.path.lexists(index / MANIFEST) and os.path.lexists(index / shard_name(0) / MANIFEST):
            raise IndexFormatError(f"{index}: its {DESCRIPTION} is missing: restore it from a copy, or {INDEX_AGAIN}.")
        return Manifest.read(index)
    sharded = ShardedManifest.read(index)
    sharded.check_folders(index)
    return sharded.combined()


def defining_generation(index: Path) -> Generation:
    """Return the content of the file that defines the current generation; raises IndexFormatError."""
    return ShardedManifest.read(index) if is_sharded(index) else Manifest.read(index)


def verify_generation(index: Path) -> None:
    """Raise IndexFormatError unless the file that defines the generation is unchanged, byte for byte."""
    (ShardedManifest if is_sharded(index) else Manifest).verify(index)


def open_segments(index: Path, manifest: Manifest) -> list[Segment]:
    """Return the live segments of a generation, opened; raises IndexFormatError, also for a shard that is a link."""
    for folder in {index / entry.folder.parts[0] for entry in manifest.segments}:
        check_is_no_link(folder)
    segments = [Segment.open(index / entry.folder, entry.digest) for entry in manifest.segments]
    for segment, entry in zip(segments, manifest.segments, strict=True):
        if max(entry.deleted, default=-1) >= segment.n_documents:
            raise IndexFormatError(
                f"{segment.folder}: has {segment.n_documents:,} documents, but a later number is listed as deleted: do "
                f"not use this index; {INDEX_AGAIN}."
            )
        segment.profiles = entry.profile_names(segment.profiles)
    return segments


def profile_of(manifest: Manifest) -> Profile:
    """Return the profile with which the index was built."""
    return Profile.from_dict({key: value for key, value in manifest.profile.items() if key != "digest"})


def current_profile(index: Path, manifest: Manifest) -> Profile:
    """Return the profile of an index; raises IndexFormatError if the built-in profiles have changed since its build."""
    profile = profile_of(manifest)
    if digest_of(profile) != manifest.profile["digest"]:
        raise IndexFormatError(f"{index}: was built with other versions of the built-in profiles: {INDEX_AGAIN}.")
    return profile
