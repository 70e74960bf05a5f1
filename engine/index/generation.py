"""Reads the current generation of an index, sharded or not, and opens its segments."""

from __future__ import annotations

import os
from pathlib import Path

from engine.collection.profiles.profile import Profile
from engine.collection.profiles.profile_files import digest_of
from engine.errors import INDEX_AGAIN, IndexFormatError
from engine.index.file_names import MANIFEST
from engine.index.manifest import Manifest
from engine.index.segment import Segment
from engine.index.sharded_manifest import DESCRIPTION, ShardedManifest, check_is_no_link, is_sharded, shard_name

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
