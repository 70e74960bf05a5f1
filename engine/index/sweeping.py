"""Sweeping: what killed builds and earlier generations left in an index goes away."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Set
from contextlib import suppress
from pathlib import Path

from engine.collection.report import REPORT
from engine.errors import IndexFormatError
from engine.index.generation import SEGMENTS
from engine.index.manifest import MANIFEST, Manifest, read_manifest
from engine.index.segment import UNFINISHED

WORK = ".work-"  # begins the names of the folders that builds keep their parts in


def sweep_unfinished(index: Path) -> None:
    """Remove what writers that were killed had begun; the caller holds the lock, so nobody is at it any more."""
    patterns = (f"{WORK}*", f".{MANIFEST}.*", f".{REPORT}.*", f"{SEGMENTS}/{UNFINISHED}*")
    for pattern in patterns:
        _remove(index.glob(pattern))


def sweep_unpublished(index: Path, before: Set[Path]) -> None:
    """Remove the segments that a writer made in vain: neither there before nor named by the manifest."""
    named: set[str] = set()
    if (index / MANIFEST).exists():
        try:
            named = {entry.name for entry in read_manifest(index).segments}
        except IndexFormatError:
            return
    _remove(path for path in set((index / SEGMENTS).glob("*")) - before if path.name not in named)
    if not (index / MANIFEST).exists():
        with suppress(OSError):  # there may be others in it
            (index / SEGMENTS).rmdir()


def sweep_segments(index: Path, *generations: Manifest) -> None:
    """Remove the segments that none of the generations names."""
    named = {entry.name for manifest in generations for entry in manifest.segments}
    _remove(path for path in (index / SEGMENTS).glob("*") if path.name not in named)


def _remove(paths: Iterable[Path]) -> None:
    """Remove files, folders and links, of a link never what it leads to; what cannot be removed stays."""
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
