"""The manifest: the one file that says what an index is; replaced as a whole, never changed in place."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from engine.analysis import analyser_from
from engine.collection.profile import Profile
from engine.errors import FoxirError, IndexFormatError
from engine.index.writing import sync_folder
from engine.plain import read_plain, write_plain

FORMAT = 2
MANIFEST = "manifest.json"

_NAME, _DIGEST = re.compile("[0-9a-f]{16}"), re.compile("[0-9a-f]{64}")


@dataclass(frozen=True)
class SegmentEntry:
    """A live segment: its name, the SHA-256 of its description, and which of its documents are deleted."""

    name: str
    digest: str
    deleted: tuple[int, ...] = ()


@dataclass(frozen=True)
class Statistics:
    """Sums over the live documents of a generation: what similarities need of the whole collection."""

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
    statistics: Statistics = field(default_factory=Statistics)

    def write(self, index: Path) -> None:
        """Publish the generation: durable when this returns, and either whole or not there at all."""
        content = {"format": FORMAT, **asdict(self)}
        content["checksum"] = _checksum(content)
        write_plain(index / MANIFEST, _to_bytes(content), sync=True)
        sync_folder(index)


def read_manifest(index: Path) -> Manifest:
    """Return the newest generation of an index.

    Raises: IndexFormatError when there is no index, or one of another format, or a damaged one.
    """
    return _parse(_read(index), index / MANIFEST)


def verify_manifest(index: Path) -> None:
    """Raise IndexFormatError unless the manifest is, to the byte, as it was written."""
    path, raw = index / MANIFEST, _read(index)
    _parse(raw, path)
    if _to_bytes(json.loads(raw)) != raw:
        raise IndexFormatError(
            f"{path}: says what was written, but not in the bytes that were: the file is damaged. Restore it from a "
            "copy, or index the sources anew."
        )


def _to_bytes(content: dict[str, Any]) -> bytes:
    return f"{json.dumps(content, sort_keys=True, indent=1)}\n".encode()


def _read(index: Path) -> bytes:
    path = index / MANIFEST
    try:
        return read_plain(path)
    except FileNotFoundError:
        hint = "it has no manifest.json" if index.is_dir() else "there is no such folder"
        raise IndexFormatError(
            f"{index}: not a foxir index: {hint}. Make one: foxir index SOURCE --into {index}"
        ) from None
    except OSError as error:
        raise IndexFormatError(f"{path}: cannot be read: {error.strerror}.") from None


def _parse(raw: bytes, path: Path) -> Manifest:
    """Return the manifest that some bytes are; the path is what messages name."""
    try:
        content = json.loads(raw)
        found = content["format"]
        if found != FORMAT:  # of another one nothing else is known, not even where its checksum stands
            raise IndexFormatError(
                f"{path}: index format {found!r}, this foxir reads format {FORMAT}: index the sources anew into a new "
                "folder, or use the foxir that made it."
            )
        checksum = content.pop("checksum")
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        raise IndexFormatError(
            f"{path}: not a manifest: the file is damaged. Restore it from a copy, or index the sources anew."
        ) from None
    if _checksum(content) != checksum:
        raise IndexFormatError(
            f"{path}: does not match its checksum: the file is damaged. Restore it from a copy, or index the sources "
            "anew."
        )
    del content["format"]
    try:
        return _manifest(content)
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError, FoxirError) as error:
        reason = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise IndexFormatError(
            f"{path}: says what foxir never wrote ({reason}): do not use this index; index the sources anew."
        ) from None


def _manifest(content: dict[str, Any]) -> Manifest:
    """Return the manifest that is described; whoever wrote it is not trusted, so every value is looked at."""
    segments = tuple(map(_segment_entry, content.pop("segments")))
    if len({entry.name for entry in segments}) < len(segments):
        raise ValueError("segments: one of them stands there twice")
    statistics = Statistics(**content.pop("statistics"))
    if [type(value) for value in asdict(statistics).values()] != [int, int, int, float]:
        raise ValueError(f"statistics: {statistics}")
    manifest = Manifest(**{**content, "sources": tuple(content["sources"])}, segments=segments, statistics=statistics)
    if type(manifest.generation) is not int or not all(isinstance(source, str) for source in manifest.sources):
        raise ValueError("generation or sources")
    analyser_from(manifest.analyser)
    profile = {**manifest.profile}
    if not isinstance(profile.pop("digest"), str):
        raise ValueError("profile: its digest")
    Profile.from_dict(profile)
    return manifest


def _segment_entry(entry: dict[str, Any]) -> SegmentEntry:
    name, digest, deleted = entry["name"], entry["digest"], entry["deleted"]
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"segments: one is called {name!r}")
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise ValueError(f"segments: {name} has the digest {digest!r}")
    if type(deleted) is not list or not all(type(number) is int and number >= 0 for number in deleted):
        raise ValueError(f"segments: {name} has other deleted documents than numbered ones")
    return SegmentEntry(name, digest, tuple(deleted))


def _checksum(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
