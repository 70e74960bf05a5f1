"""The folder of an index under change: its lock, files of others, and remains of killed or failed writers.

A sharded index is a folder of ordinary ones. Its shards are published one after the other, then `shards.json`. Until
then readers and later writers see the old generation: its segments stay, and a shard that a killed writer had already
published is set back.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.collection.ingest_report import REPORT
from engine.errors import INDEX_AGAIN, CollectionError, FoxirError, IndexFormatError
from engine.index.file_names import MANIFEST, SEGMENTS
from engine.index.generation import DESCRIPTION, SHARD, Generation, ShardedManifest, is_index, is_sharded, open_segments
from engine.index.manifest import Manifest, is_segment_name
from engine.index.missing_index import other_files
from engine.index.write_lock import LOCK, writer_lock
from engine.indexing.segment_writer import UNFINISHED
from engine.system.held_folder import HeldFolder
from engine.system.platform import REMOVED, is_link

# Prefix of the temporary folders in which builds store parts.
WORK = ".work-"

_SHARD = re.compile(rf"{SHARD}[0-9]{{4}}")
_UNFINISHED = (WORK, REMOVED, f".{MANIFEST}.", f".{DESCRIPTION}.", f".{REPORT}.")


@contextmanager
def writing(index: Path, check: Callable[[], object]) -> Iterator[HeldFolder]:
    """Hold the writer lock, and yield the folder; after a failure, remove what was created, as fill the disk.

    Args:
        check: raises an error for a folder in which nothing may be written, before anything is.

    Raises: CollectionError if the path leads to another folder meanwhile: nothing in that one is removed or replaced.
    """
    with writer_lock(index, check) as held:
        set_back(held)
        before = {name: _segments_in(folder) for name, folder in _folders(held)}
        try:
            yield held
        except BaseException as error:
            set_back(held, before)
            if isinstance(error, FoxirError | OSError):
                held.check()  # the reason of whatever was not found
            raise


@contextmanager
def held_shard(index: HeldFolder, folder: Path) -> Iterator[HeldFolder]:
    """Yield the folder of a shard; an index without shards is its only one."""
    if folder == index.path:
        yield index
    else:
        with index.folder(folder.name) as held:
            yield held


def _folders(index: HeldFolder) -> Iterator[tuple[str, HeldFolder]]:
    """Yield the folder of an index, as "", and those of its shards, by name."""
    yield "", index
    for name in index.names():
        if name.startswith(SHARD):
            with suppress(OSError), index.folder(name) as held:  # a link, or a file of others
                yield name, held


@contextmanager
def workspace(index: HeldFolder) -> Iterator[Path]:
    """Yield a temporary folder inside the index for parts."""
    folder = tempfile.mkdtemp(prefix=WORK, dir=index.real)
    try:
        yield Path(folder)
    finally:
        index.remove([os.path.basename(folder)])


def check_folder(index: Path, *, sharded: bool) -> None:
    """Raise CollectionError for a folder that cannot become an index, before anything in it is written or removed.

    That is a folder with files of others, or a shard, which must only change together with the others.
    """
    _check_is_no_shard(index)
    if is_link(index / SEGMENTS):
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


def make_shards(index: HeldFolder, empty: Generation) -> None:
    """Create the missing folders of shards, each with a manifest, which tells it from a folder of others."""
    for folder, manifest in empty.in_folders(index.path):
        if folder != index.path and folder.name not in index.names():
            index.check()
            with index.folder(folder.name, make=True) as shard:
                manifest.write(shard)
            index.sync()


def set_back(index: HeldFolder, before: Mapping[str, Set[str]] | None = None) -> None:
    """Set an index and its shards back to the current generation: remove unfinished files of killed writers.

    Args:
        before: after a failure, the names of the segments that there were, by shard: others that no manifest names are
            removed.
    Raises: IndexFormatError if a shard or a segment of the generation is missing or a link: no segment is removed then.
    """
    _remove_unfinished(index)
    described = index.read(DESCRIPTION)
    if described is not None:
        current = ShardedManifest.parse(index / DESCRIPTION, described)
        current.check_folders(index.path)
        open_segments(index.path, current.combined())
        for folder, manifest in current.in_folders(index.path):
            with index.folder(folder.name) as shard:
                _remove_unfinished(shard)
                if shard.read(MANIFEST) != manifest.to_bytes():
                    manifest.write(shard)
                    _remove_segments(shard, _segments_in(shard) - _names_in(manifest))
                elif before is not None:
                    _remove_unpublished(shard, before.get(folder.name, set()))
    elif index.read(MANIFEST) is None:
        index.remove(name for name in index.names() if _is_unpublished(index / name) and index.is_in_place)
    if before is not None:
        _remove_unpublished(index, before[""])


def remove_unreferenced(index: HeldFolder, *generations: Manifest) -> None:
    """Remove the segments that none of the generations names."""
    _remove_segments(index, _segments_in(index) - _names_in(*generations))


def _segments_in(index: HeldFolder) -> set[str]:
    with suppress(OSError), index.folder(SEGMENTS) as segments:
        return set(segments.names())
    return set()


def _remove_segments(index: HeldFolder, names: Set[str]) -> None:
    if names:
        with index.folder(SEGMENTS) as segments:
            segments.remove(names)


def _names_in(*generations: Manifest) -> set[str]:
    return {entry.name for manifest in generations for entry in manifest.segments}


def _remove_unfinished(index: HeldFolder) -> None:
    """Remove unfinished files of killed writers; the caller holds the lock, so no writer is active."""
    index.remove(name for name in index.names() if name.startswith(_UNFINISHED))
    _remove_segments(index, {name for name in _segments_in(index) if name.startswith((UNFINISHED, REMOVED))})


def _remove_unpublished(index: HeldFolder, before: Set[str]) -> None:
    """Remove segments that a failed writer created: neither in `before` nor named by the manifest."""
    named: set[str] = set()
    published = index.read(MANIFEST)
    if published is not None:
        try:
            named = _names_in(Manifest.parse(index / MANIFEST, published))
        except IndexFormatError:
            return
    _remove_segments(index, _segments_in(index) - before - named)
    if published is None:
        with suppress(OSError):  # it may contain segments of earlier writers
            index.remove_empty(SEGMENTS)


def _is_unpublished(path: Path) -> bool:
    """Return whether a folder is nothing but a shard of a first build that was killed, which may be removed."""
    if not _SHARD.fullmatch(path.name) or is_link(path) or not path.is_dir():
        return False
    names = {each.name for each in path.iterdir() if not each.name.startswith(_UNFINISHED)}
    if not names:
        return True
    if MANIFEST not in names or not names <= {MANIFEST, SEGMENTS, REPORT, LOCK}:
        return False
    inside = [each.name for each in (path / SEGMENTS).glob("*")]
    try:
        return all(is_segment_name(name) or name.startswith((UNFINISHED, REMOVED)) for name in inside) and (
            Manifest.read(path).generation <= 1  # a first build publishes once
        )
    except IndexFormatError:
        return False
