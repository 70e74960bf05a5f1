"""The folder of an index under change: its lock, files of others, and remains of killed or failed writers.

A sharded index is a folder of ordinary ones. Its shards are published one after the other, then `shards.json`. Until
then readers and later writers see the old generation: its segments stay, and a shard that a killed writer had already
published is set back.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Set
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.collection.ingest_report import REPORT
from engine.errors import INDEX_AGAIN, CollectionError, IndexFormatError
from engine.index.file_names import MANIFEST, SEGMENTS
from engine.index.generation import DESCRIPTION, SHARD, Generation, ShardedManifest, is_index, is_sharded, open_segments
from engine.index.manifest import Manifest, is_segment_name
from engine.index.missing_index import other_files
from engine.index.write_lock import LOCK, writer_lock
from engine.indexing.segment_writer import UNFINISHED
from engine.system.files import sync_folder

# Prefix of the temporary folders in which builds store parts.
WORK = ".work-"

_SHARD = re.compile(rf"{SHARD}[0-9]{{4}}")
_UNFINISHED = (WORK, f".{MANIFEST}.", f".{DESCRIPTION}.", f".{REPORT}.")


@contextmanager
def writing(index: Path) -> Iterator[None]:
    """Hold the writer lock; after a failure, remove at once what the writer created, as it may fill the disk."""
    with writer_lock(index):
        set_back(index)
        before = {path for folder in (index, *index.glob(f"{SHARD}*")) for path in _segments_in(folder)}
        try:
            yield
        except BaseException:
            set_back(index, before)
            raise


@contextmanager
def workspace(index: Path) -> Iterator[Path]:
    """Yield a temporary folder inside the index for parts."""
    with tempfile.TemporaryDirectory(prefix=WORK, dir=index, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def check_folder(index: Path, *, sharded: bool) -> None:
    """Raise CollectionError for a folder that cannot become an index, before anything in it is written or removed.

    That is a folder with files of others, or a shard, which must only change together with the others.
    """
    _check_is_no_shard(index)
    if (index / SEGMENTS).is_symlink():
        raise CollectionError(
            f"{index / SEGMENTS}: a link, and an index contains none: replace it by the folder it leads to."
        )
    if not index.is_dir() or is_index(index):
        return
    others = other_files(index)
    if sharded and not os.path.lexists(index / REPORT):  # else it was published, and its description is missing now
        others = {name for name in others if not _is_unpublished(index / name)}
    if sharded and (index / SEGMENTS).exists():
        others.add(SEGMENTS)
    first = min(others, default=None)
    if first is None:
        return
    if _SHARD.fullmatch(first) and (index / first / MANIFEST).is_file():
        raise CollectionError(
            f"{index}: contains '{first}', but its {DESCRIPTION} is missing: restore that file from a copy, or use a "
            "new or an empty folder."
        )
    raise CollectionError(f"{index}: contains other files ('{first}') and no index: use a new or an empty folder.")


def _check_is_no_shard(index: Path) -> None:
    for folder in (index.absolute(), index.resolve()):
        whole = folder.parent
        if is_sharded(whole):
            raise CollectionError(
                f"{index}: a shard of {whole}: change the sharded index as a whole: foxir index {whole}"
            )
        if _SHARD.fullmatch(folder.name) and (whole / REPORT).is_file() and not (whole / MANIFEST).exists():
            raise CollectionError(
                f"{index}: a shard of {whole}, whose {DESCRIPTION} is missing: restore that file from a copy, "
                f"or {INDEX_AGAIN}."
            )


def make_shards(index: Path, empty: Generation) -> None:
    """Create the missing folders of shards, each with a manifest, which tells it from a folder of others."""
    for folder, manifest in empty.in_folders(index):
        if not folder.is_dir():
            folder.mkdir()
            manifest.write(folder)
            sync_folder(index)


def set_back(index: Path, before: Set[Path] | None = None) -> None:
    """Set an index and its shards back to the current generation: remove unfinished files of killed writers.

    Args:
        before: after a failure, the folders of the segments that there were: others that no manifest names are removed.
    Raises: IndexFormatError if a shard or a segment of the generation is missing or a link: no segment is removed then.
    """
    _remove_unfinished(index)
    if is_sharded(index):
        current = ShardedManifest.read(index)
        current.check_folders(index)
        open_segments(index, current.combined())
        for shard, manifest in current.in_folders(index):
            _remove_unfinished(shard)
            if _bytes_of(shard / MANIFEST) != manifest.to_bytes():
                manifest.write(shard)
                _remove(path for path in _segments_in(shard) if path.name not in _names_in(manifest))
            elif before is not None:
                _remove_unpublished(shard, before)
    elif not (index / MANIFEST).exists():
        for shard in filter(_is_unpublished, index.glob(f"{SHARD}*")):
            shutil.rmtree(shard, ignore_errors=True)
    if before is not None:
        _remove_unpublished(index, before)


def remove_unreferenced(index: Path, *generations: Manifest) -> None:
    """Remove the segments that none of the generations names."""
    _remove(path for path in _segments_in(index) if path.name not in _names_in(*generations))


def _segments_in(index: Path) -> set[Path]:
    return set((index / SEGMENTS).glob("*"))


def _names_in(*generations: Manifest) -> set[str]:
    return {entry.name for manifest in generations for entry in manifest.segments}


def _remove_unfinished(index: Path) -> None:
    """Remove unfinished files of killed writers; the caller holds the lock, so no writer is active."""
    for prefix in (*_UNFINISHED, f"{SEGMENTS}/{UNFINISHED}"):
        _remove(index.glob(f"{prefix}*"))


def _remove_unpublished(index: Path, before: Set[Path]) -> None:
    """Remove segments that a failed writer created: neither in `before` nor named by the manifest."""
    named: set[str] = set()
    if (index / MANIFEST).exists():
        try:
            named = _names_in(Manifest.read(index))
        except IndexFormatError:
            return
    _remove(path for path in _segments_in(index) - before if path.name not in named)
    if not (index / MANIFEST).exists():
        with suppress(OSError):  # it may contain segments of earlier writers
            (index / SEGMENTS).rmdir()


def _remove(paths: Iterable[Path]) -> None:
    """Remove files, folders and links (never the target of a link); ignore folders that cannot be removed."""
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _bytes_of(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() and not path.is_symlink() else b""


def _is_unpublished(path: Path) -> bool:
    """Return whether a folder is nothing but a shard of a first build that was killed, which may be removed."""
    if not _SHARD.fullmatch(path.name) or path.is_symlink() or not path.is_dir():
        return False
    names = {each.name for each in path.iterdir() if not each.name.startswith(_UNFINISHED)}
    if not names:
        return True
    if MANIFEST not in names or not names <= {MANIFEST, SEGMENTS, REPORT, LOCK}:
        return False
    inside = [each.name for each in (path / SEGMENTS).glob("*")]
    try:
        return all(is_segment_name(name) or name.startswith(UNFINISHED) for name in inside) and (
            Manifest.read(path).generation <= 1  # a first build publishes once
        )
    except IndexFormatError:
        return False
