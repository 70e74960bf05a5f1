"""Removes what killed builds and earlier generations left in an index."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Set
from contextlib import suppress
from pathlib import Path

from engine.collection.ingest_report import REPORT
from engine.errors import IndexFormatError
from engine.index.file_names import MANIFEST, SEGMENTS
from engine.index.manifest import Manifest
from engine.indexing.segment_writer import UNFINISHED

# Prefix of the temporary folders in which builds store parts.
WORK = ".work-"


def remove_unfinished(index: Path) -> None:
    """Remove unfinished files of killed writers; the caller holds the lock, so no writer is active."""
    patterns = (f"{WORK}*", f".{MANIFEST}.*", f".{REPORT}.*", f"{SEGMENTS}/{UNFINISHED}*")
    for pattern in patterns:
        _remove(index.glob(pattern))


def remove_unpublished(index: Path, before: Set[Path]) -> None:
    """Remove segments that a failed writer created: neither in `before` nor named by the manifest."""
    named: set[str] = set()
    if (index / MANIFEST).exists():
        try:
            named = {entry.name for entry in Manifest.read(index).segments}
        except IndexFormatError:
            return
    _remove(path for path in set((index / SEGMENTS).glob("*")) - before if path.name not in named)
    if not (index / MANIFEST).exists():
        with suppress(OSError):  # it may contain segments of earlier writers
            (index / SEGMENTS).rmdir()


def remove_unreferenced(index: Path, *generations: Manifest) -> None:
    """Remove the segments that none of the generations names."""
    named = {entry.name for manifest in generations for entry in manifest.segments}
    _remove(path for path in (index / SEGMENTS).glob("*") if path.name not in named)


def _remove(paths: Iterable[Path]) -> None:
    """Remove files, folders and links (never the target of a link); ignore folders that cannot be removed."""
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
