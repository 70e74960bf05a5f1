"""The folders of shards: what a sharded index must contain, and how a writer sets it back to its generation."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from engine.collection.ingest_report import REPORT
from engine.errors import INDEX_AGAIN, CollectionError, IndexFormatError
from engine.index.file_names import MANIFEST, SEGMENTS
from engine.index.generation import open_segments
from engine.index.manifest import Manifest, is_segment_name
from engine.index.sharded_manifest import DESCRIPTION, SHARD, ShardedManifest, is_sharded, shard_name
from engine.index.write_lock import LOCK
from engine.indexing.cleanup import WORK, remove_unfinished, remove_unpublished
from engine.indexing.segment_writer import UNFINISHED

_NAME = re.compile(rf"{SHARD}[0-9]{{4}}")
_UNFINISHED = (WORK, f".{MANIFEST}.", f".{REPORT}.")


def check_folder(index: Path) -> None:
    """Raise CollectionError for a folder with files of others, before anything in it is written or removed."""
    if not index.is_dir() or is_sharded(index):
        return
    names = [path.name for path in index.iterdir() if not path.name.startswith(".")]
    was_published = REPORT in names  # written after the first generation, whose description is missing now
    others = (name for name in names if was_published or not _is_unpublished(index / name))
    refuse_others(index, (name for name in others if name not in (LOCK, REPORT)))


def refuse_others(index: Path, others: Iterable[str]) -> None:
    """Raise CollectionError if a folder that is not an index contains others' files."""
    first = min(others, default=None)
    if first is None:
        return
    if _NAME.fullmatch(first) and (index / first / MANIFEST).is_file():
        raise CollectionError(
            f"{index}: contains '{first}', but its {DESCRIPTION} is missing: restore that file from a copy, or use a "
            "new or an empty folder."
        )
    raise CollectionError(f"{index}: contains other files ('{first}') and no index: use a new or an empty folder.")


def check_is_no_shard(index: Path) -> None:
    """Raise CollectionError for a shard, which must only change together with the others."""
    for folder in (index.absolute(), index.resolve()):
        whole = folder.parent
        if is_sharded(whole):
            raise CollectionError(
                f"{index}: a shard of {whole}: change the sharded index as a whole: foxir index {whole}"
            )
        if _NAME.fullmatch(folder.name) and (whole / REPORT).is_file() and not (whole / MANIFEST).exists():
            raise CollectionError(
                f"{index}: a shard of {whole}, whose {DESCRIPTION} is missing: restore that file from a copy, "
                f"or {INDEX_AGAIN}."
            )


def restore_shards(index: Path) -> None:
    """Set every shard back to the current generation, and remove what a killed or failed writer left.

    Raises: IndexFormatError if a shard or a segment of the generation is missing or a link: nothing is removed then.
    """
    for path in index.glob(f".{DESCRIPTION}.*"):
        path.unlink(missing_ok=True)
    if not is_sharded(index):
        for shard in filter(_is_unpublished, index.glob(f"{SHARD}*")):
            shutil.rmtree(shard, ignore_errors=True)
        return
    current = ShardedManifest.read(index)
    current.check_folders(index)
    open_segments(index, current.combined())
    for number in range(len(current.shards)):
        _restore(index / shard_name(number), current.shard(number))


def _restore(shard: Path, manifest: Manifest) -> None:
    remove_unfinished(shard)
    if _bytes_of(shard / MANIFEST) != manifest.to_bytes():
        manifest.write(shard)
        named = {entry.name for entry in manifest.segments}
        before = {path for path in (shard / SEGMENTS).glob("*") if path.name in named}
        remove_unpublished(shard, before)


def _bytes_of(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() and not path.is_symlink() else b""


def _is_unpublished(path: Path) -> bool:
    """Return whether a folder is nothing but a shard of a first build that was killed, which may be removed."""
    if not _NAME.fullmatch(path.name) or path.is_symlink() or not path.is_dir():
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
