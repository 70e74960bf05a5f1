"""The manifest: the file that defines the current generation of an index; replaced atomically."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.collection.profile import Profile
from engine.errors import INDEX_AGAIN, FoxirError, IndexFormatError
from engine.files import read_regular, replace_file, sync_folder
from engine.index.file_names import MANIFEST, SEGMENTS
from engine.text.analyser import analyser_from

FORMAT = 4

Content = TypeVar("Content")

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

    def live(self, n_documents: int) -> NDArray[np.bool_]:
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
    mean_weight: float = 0.0  # W_AL


@dataclass(frozen=True)
class Manifest:
    """One generation of an index."""

    analyser: dict[str, Any]
    profile: dict[str, Any]
    generation: int = 0
    sources: tuple[str, ...] = ()
    segments: tuple[SegmentEntry, ...] = ()
    statistics: Totals = field(default_factory=Totals)

    def write(self, index: Path) -> None:
        """Publish the generation atomically; it is durable on return."""
        write_sealed(index / MANIFEST, self.to_bytes())

    def to_bytes(self) -> bytes:
        """Return the content of the file."""
        return sealed({"format": FORMAT, **asdict(self)})


def read_manifest(index: Path) -> Manifest:
    """Return the current generation of an index.

    Raises: IndexFormatError if the index is missing, damaged or of another format version.
    """
    return parse_manifest(index / MANIFEST, _read(index))


def is_segment_name(name: str) -> bool:
    """Return whether a name can be that of a segment."""
    return _NAME.fullmatch(name) is not None


def verify_manifest(index: Path) -> None:
    """Raise IndexFormatError unless the manifest is byte for byte as it was written."""
    path, raw = index / MANIFEST, _read(index)
    parse_manifest(path, raw)
    verify_sealed(path, raw)


def write_sealed(path: Path, data: bytes) -> None:
    """Replace a file atomically; it is durable on return."""
    replace_file(path, data, sync=True)
    sync_folder(path.parent)


def sealed(content: dict[str, Any]) -> bytes:
    """Return JSON with its checksum."""
    return _to_bytes({**content, "checksum": _checksum(content)})


def verify_sealed(path: Path, raw: bytes) -> None:
    """Raise IndexFormatError unless the bytes, already parsed, have exactly the form that foxir writes."""
    if _to_bytes(json.loads(raw)) != raw:
        raise IndexFormatError(
            f"{path}: has the right content but was reformatted: the file is damaged. Restore it from a copy, or "
            f"{INDEX_AGAIN}."
        )


def _to_bytes(content: dict[str, Any]) -> bytes:
    return f"{json.dumps(content, sort_keys=True, indent=1)}\n".encode()


def _read(index: Path) -> bytes:
    path = index / MANIFEST
    try:
        return read_regular(path)
    except OSError as error:
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            from engine.index.missing_index import missing_index  # noqa: PLC0415  (rarely needed)

            raise missing_index(index) from None
        raise IndexFormatError(f"{path}: cannot be read: {error.strerror}.") from None


def parse_manifest(path: Path | str, raw: bytes) -> Manifest:
    """Return the generation in some bytes; messages name the path; raises IndexFormatError."""
    return parse_sealed(path, raw, FORMAT, manifest_from)


def parse_sealed(path: Path | str, raw: bytes, form: int, read: Callable[[dict[str, Any]], Content]) -> Content:
    """Return what `read` makes of JSON with its checksum, of the format `form`; messages name the path.

    Raises: IndexFormatError if it is damaged, of another format, or not as foxir writes it.
    """
    try:
        content = json.loads(raw)
        found = content["format"]
        if found != form:  # checked first, because other formats may have no checksum
            raise IndexFormatError(
                f"{path}: index format {found!r}, this foxir reads format {form}: "
                f"{INDEX_AGAIN}, or use the foxir that made it."
            )
        checksum = content.pop("checksum")
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        raise IndexFormatError(
            f"{path}: not a manifest: the file is damaged. Restore it from a copy, or {INDEX_AGAIN}."
        ) from None
    if _checksum(content) != checksum:
        raise IndexFormatError(
            f"{path}: does not match its checksum: the file is damaged. Restore it from a copy, or {INDEX_AGAIN}."
        )
    del content["format"]
    try:
        return read(content)
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError, FoxirError) as error:
        reason = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise IndexFormatError(
            f"{path}: says what foxir never wrote ({reason}): do not use this index; {INDEX_AGAIN}."
        ) from None


def manifest_from(content: dict[str, Any]) -> Manifest:
    """Return the manifest with this content; every value is checked, as the index may come from a stranger."""
    segments, statistics = segments_from(content.pop("segments")), totals_from(content.pop("statistics"))
    manifest = Manifest(**{**content, "sources": tuple(content["sources"])}, segments=segments, statistics=statistics)
    if type(manifest.generation) is not int or not all(isinstance(source, str) for source in manifest.sources):
        raise ValueError("generation or sources")
    analyser_from(manifest.analyser)
    profile = {**manifest.profile}
    if not isinstance(profile.pop("digest"), str):
        raise ValueError("profile: its digest")
    Profile.from_dict(profile)
    return manifest


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


def _checksum(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
