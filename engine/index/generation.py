"""Opens the segments and the profile of a generation."""

from __future__ import annotations

from pathlib import Path

from engine.collection.profile import Profile
from engine.errors import IndexFormatError
from engine.index.manifest import Manifest
from engine.index.segment import Segment

# Folder of the segments inside the index.
SEGMENTS = "segments"


def open_segments(index: Path, manifest: Manifest) -> list[Segment]:
    """Return the live segments of a generation, opened."""
    segments = [Segment(index / SEGMENTS / entry.name, entry.digest) for entry in manifest.segments]
    for segment, entry in zip(segments, manifest.segments, strict=True):
        if max(entry.deleted, default=-1) >= segment.n_documents:
            raise IndexFormatError(
                f"{segment.folder}: has {segment.n_documents:,} documents, but a later number is listed as deleted: do "
                "not use this index; index the sources again."
            )
    return segments


def profile_of(manifest: Manifest) -> Profile:
    """Return the profile with which the index was built."""
    return Profile.from_dict({key: value for key, value in manifest.profile.items() if key != "digest"})
