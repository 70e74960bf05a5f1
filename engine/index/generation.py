"""What a generation of an index is made of: its segments, opened, and the profile they were read with."""

from __future__ import annotations

from pathlib import Path

from engine.collection.profile import Profile
from engine.errors import IndexFormatError
from engine.index.manifest import Manifest
from engine.index.segment import Segment

SEGMENTS = "segments"  # folder of the segments, in the index


def open_segments(index: Path, manifest: Manifest) -> list[Segment]:
    """Return the live segments of a generation, opened."""
    segments = [Segment(index / SEGMENTS / entry.name, entry.digest) for entry in manifest.segments]
    for segment, entry in zip(segments, manifest.segments, strict=True):
        if max(entry.deleted, default=-1) >= segment.n_documents:
            raise IndexFormatError(
                f"{segment.folder}: has {segment.n_documents:,} documents, and a later one is said to be deleted: do "
                "not use this index; index the sources anew."
            )
    return segments


def profile_of(manifest: Manifest) -> Profile:
    """Return the profile an index was made with."""
    return Profile.from_dict({key: value for key, value in manifest.profile.items() if key != "digest"})
