"""Sweeping: what killed builds and earlier generations left in an index goes away."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from engine.collection.report import REPORT
from engine.index.generation import SEGMENTS
from engine.index.manifest import MANIFEST, Manifest
from engine.index.segment import UNFINISHED

WORK = ".work-"  # begins the names of the folders that builds keep their parts in


def sweep_unfinished(index: Path) -> None:
    """Remove what writers that were killed had begun; the caller holds the lock, so nobody is at it any more."""
    patterns = (f"{WORK}*", f".{MANIFEST}.*", f".{REPORT}.*", f"{SEGMENTS}/{UNFINISHED}*")
    for pattern in patterns:
        _remove(index.glob(pattern))


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
