"""The manifest: the file that defines the current generation of an index."""

from __future__ import annotations

import re
from dataclasses import asdict, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from engine.arrays import Mask
from engine.collection.profiles.profile import Profile
from engine.index.file_names import MANIFEST, SEGMENTS
from engine.index.sealed_file import SealedFile
from engine.records import dataclass
from engine.text.analyser import analyser_from

_NAME, _DIGEST = re.compile("[0-9a-f]{16}"), re.compile("[0-9a-f]{64}")


@dataclass(frozen=True)
class SegmentEntry:
    """A live segment: its name, the SHA-256 of its description, and the numbers of its deleted documents."""

    name: str
    digest: str
    deleted: tuple[int, ...] = ()

    @property
    def folder(self) -> Path:
        """Its folder, below that of the index."""
        return Path(SEGMENTS) / self.name

    def profile_names(self, names: list[str]) -> list[str]:
        """Return the names of its profiles in the generation: those that it has."""
        return names

    def live(self, n_documents: int) -> Mask:
        """Return for each document of the segment whether it is live, shape (n_documents,)."""
        live = np.ones(n_documents, np.bool_)
        live[list(self.deleted)] = False
        return live


@dataclass(frozen=True)
class Totals:
    """Collection statistics over the live documents of a generation."""

    documents: int = 0
    elements: int = 0
    tokens: int = 0  # |C|
    mean_weight: float | None = 0.0  # W_AL; None for several indexes: it is computed where a search needs it


@dataclass(frozen=True)
class Manifest(SealedFile):
    """One generation of an index."""

    file_name = MANIFEST

    analyser: dict[str, Any]
    profile: dict[str, Any]
    generation: int = 0
    sources: tuple[str, ...] = ()
    segments: tuple[SegmentEntry, ...] = ()
    statistics: Totals = field(default_factory=Totals)

    def in_folders(self, index: Path) -> list[tuple[Path, Manifest]]:
        """Return the folder and the generation of each shard: an index without shards is its only one."""
        return [(index, self)]

    def combined(self) -> Manifest:
        """Return the segments of all shards as one generation: this one."""
        return self

    @classmethod
    def from_content(cls, content: dict[str, Any]) -> Self:
        """Return the manifest with this content, checked."""
        segments, statistics = segments_from(content.pop("segments")), totals_from(content.pop("statistics"))
        manifest = cls(**{**content, "sources": tuple(content["sources"])}, segments=segments, statistics=statistics)
        if type(manifest.generation) is not int or not all(isinstance(source, str) for source in manifest.sources):
            raise ValueError("generation or sources")
        analyser_from(manifest.analyser)
        profile = {**manifest.profile}
        if not isinstance(profile.pop("digest"), str):
            raise ValueError("profile: its digest")
        Profile.from_dict(profile)
        return manifest


def is_segment_name(name: str) -> bool:
    """Return whether a name can be that of a segment."""
    return _NAME.fullmatch(name) is not None


def segments_from(entries: list[dict[str, Any]]) -> tuple[SegmentEntry, ...]:
    """Return the segments of a manifest, checked; raises ValueError, KeyError, TypeError."""
    segments = tuple(map(_segment_entry, entries))
    if len({entry.name for entry in segments}) < len(segments):
        raise ValueError("segments: duplicate segment")
    return segments


def totals_from(content: dict[str, Any]) -> Totals:
    """Return the statistics of a manifest, checked; raises ValueError, TypeError."""
    statistics = Totals(**content)
    if [type(value) for value in asdict(statistics).values()] != [int, int, int, float]:
        raise ValueError(f"statistics: {statistics}")
    return statistics


def _segment_entry(entry: dict[str, Any]) -> SegmentEntry:
    name, digest, deleted = entry["name"], entry["digest"], entry["deleted"]
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"segments: invalid name {name!r}")
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise ValueError(f"segments: {name} has an invalid digest {digest!r}")
    if type(deleted) is not list or not all(type(number) is int and number >= 0 for number in deleted):
        raise ValueError(f"segments: {name} has deleted documents that are not numbers")
    return SegmentEntry(name, digest, tuple(deleted))
