"""The local copies of segments: their folder, and the bound on their size.

`FOXIR_CACHE` names the folder (`~/.cache/foxir`), `FOXIR_CACHE_SIZE` the bytes that the copies may take (`20G`).
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.errors import ArgumentError, IndexFormatError, StorageError
from engine.index.sealed_file import SEGMENTS
from engine.index.segment import DESCRIPTION, FOLDERS, read_description
from engine.system.byte_sizes import parse_bytes
from engine.system.files import clock_ns

DEFAULT_SIZE = "20G"
# Folders of the copies that readers open, and of those that writers change.
READ, WRITE = "read", "write"
# Seconds for which a copy that was just asked for is left, as its reader may still be opening it.
RECENT_S = 600.0


def cache_folder() -> Path:
    """Return the folder of local copies."""
    given = os.environ.get("FOXIR_CACHE")
    return Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "foxir"


def cache_size() -> int:
    """Return the bytes that local copies may take; raises ArgumentError for a wrong setting."""
    given = os.environ.get("FOXIR_CACHE_SIZE") or DEFAULT_SIZE
    try:
        return parse_bytes(given)
    except ValueError:
        raise ArgumentError(f"FOXIR_CACHE_SIZE = '{given}': expected a number of bytes such as 500M or 20G.") from None


@contextmanager
def cache_lock(root: Path) -> Iterator[None]:
    """Wait for, then hold the lock under which copies are made and removed."""
    root.mkdir(parents=True, exist_ok=True)
    with (root / "lock").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def touch(segment: Path) -> None:
    """Note that a copy is used now."""
    os.utime(segment / DESCRIPTION)


def is_whole(segment: Path, digest: str) -> bool:
    """Return whether a copy has all files of its segment in their sizes; their blocks are checked as they are read."""
    try:
        described = read_description(segment, digest)
        return all(
            (segment / inner / name).lstat().st_size == entry["size"]
            for inner in FOLDERS
            for name, entry in getattr(described, inner).items()
        )
    except (IndexFormatError, OSError):
        return False


def make_room(root: Path, wanted: Iterable[Path], needed: int) -> None:
    """Remove the copies of readers that were not used for longest until there is room for `needed` more bytes.

    Args:
        wanted: copies that stay.
    Raises: StorageError if what stays and what is needed exceed the bound.
    """
    bound, kept = cache_size(), set(wanted)
    sizes = {path.parent: _size(path.parent) for path in root.glob(f"*/{READ}/**/{SEGMENTS}/*/{DESCRIPTION}")}
    required = needed + sum(sizes.get(path, 0) for path in kept)
    if required > bound:
        raise StorageError(
            f"{root}: the index needs {required:,} bytes of local copies, more than FOXIR_CACHE_SIZE allows "
            f"({bound:,}): allow more, or divide the index into shards and serve it from several machines."
        )
    total = needed + sum(sizes.values())
    now = clock_ns(root)
    ages = {path: _age(path, now) for path in sizes if path not in kept}
    for path in sorted(ages, key=ages.__getitem__, reverse=True):
        if total <= bound:
            break
        if ages[path] >= RECENT_S:
            shutil.rmtree(path, ignore_errors=True)
            total -= sizes[path]


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _age(segment: Path, now: int) -> float:
    """Return the seconds since a copy was used, or until then if the clock was ahead and has been set back."""
    return abs(now - (segment / DESCRIPTION).stat().st_mtime_ns) / 10**9
