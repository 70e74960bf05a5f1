"""The manifest: the one file that says what an index is; replaced as a whole, never changed in place."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from engine.errors import IndexFormatError
from engine.index.files import sync_folder

FORMAT = 1
MANIFEST = "manifest.json"


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
        temporary = index / f".{MANIFEST}.{os.getpid()}"
        with temporary.open("w", encoding="utf-8") as file:
            json.dump(content, file, sort_keys=True, indent=1)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(index / MANIFEST)
        sync_folder(index)


def read_manifest(index: Path) -> Manifest:
    """Return the newest generation of an index.

    Raises: IndexFormatError when there is no index, or one of another format, or a damaged one.
    """
    path = index / MANIFEST
    try:
        content = json.loads(path.read_bytes())
        checksum = content.pop("checksum")
    except FileNotFoundError:
        hint = "it has no manifest.json" if index.is_dir() else "there is no such folder"
        raise IndexFormatError(
            f"{index}: not a foxir index: {hint}. Make one: foxir index SOURCE --into {index}"
        ) from None
    except OSError as error:
        raise IndexFormatError(f"{path}: cannot be read: {error.strerror}.") from None
    except (ValueError, KeyError, AttributeError, TypeError):
        raise IndexFormatError(
            f"{path}: not a manifest: the file is damaged. Restore it from a copy, or index the sources anew."
        ) from None
    if content.get("format") != FORMAT:
        raise IndexFormatError(
            f"{path}: index format {content.get('format')!r}, this foxir reads format {FORMAT}: index the sources anew "
            "into a new folder, or use the foxir that made it."
        )
    if _checksum(content) != checksum:
        raise IndexFormatError(
            f"{path}: does not match its checksum: the file is damaged. Restore it from a copy, or index the sources "
            "anew."
        )
    del content["format"]
    segments = tuple(SegmentEntry(s["name"], s["digest"], tuple(s["deleted"])) for s in content.pop("segments"))
    statistics = Statistics(**content.pop("statistics"))
    return Manifest(**{**content, "sources": tuple(content["sources"])}, segments=segments, statistics=statistics)


def _checksum(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
