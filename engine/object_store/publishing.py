"""Building in object storage: the local copy is brought up to date, new segments are stored, a manifest is created.

`RemoteIndex.publish` (`remote_index`) creates the manifest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from engine.collection.ingest_report import REPORT, IngestReport
from engine.errors import IndexLockedError, SettingsError
from engine.index.file_names import MANIFEST
from engine.index.generation import DESCRIPTION, is_sharded, read_generation
from engine.index.manifest import Manifest
from engine.index.write_lock import writer_lock
from engine.indexing.build import compact_index, update_index
from engine.indexing.build_settings import BuildSettings
from engine.object_store.mirror import WRITE, Mirror
from engine.progress import Progress, counting, no_progress
from engine.system.files import read_regular


def update_remote(
    url: str,
    sources: Sequence[str],
    settings: BuildSettings,
    *,
    n_shards: int | None = None,
    forget: Sequence[str] = (),
    progress: Progress = no_progress,
) -> IngestReport:
    """Bring an index in object storage up to date with its sources and return the report; create it if there is none.

    Args: as of `engine.indexing.build.update_index`.
    Raises: as that; StorageError; IndexLockedError if another writer publishes meanwhile: nothing is published then.
    """
    with _publishing(url, progress) as folder:
        return update_index(folder, sources, settings, n_shards=n_shards, forget=forget, progress=progress)


def compact_remote(url: str, *, memory: int = BuildSettings.memory, progress: Progress = no_progress) -> None:
    """Merge the segments of an index in object storage, of each shard; the old ones stay for readers.

    Raises: as `update_remote`.
    """
    with _publishing(url, progress) as folder:
        compact_index(folder, memory=memory, progress=progress)


@contextmanager
def _publishing(url: str, progress: Progress) -> Iterator[Path]:
    """Yield the local copy at its newest generation; publish the generation that was made of it."""
    mirror = Mirror(url, WRITE)
    with _naming_url(mirror), writer_lock(mirror.folder.parent):
        newest = mirror.remote.newest()
        mirror.bring_to(newest, progress)
        before = {entry.name for entry in read_generation(mirror.folder).segments} if newest else set()
        follows = _manifest(mirror.folder) if newest else None
        yield mirror.folder
        made = read_generation(mirror.folder)
        if made.generation > newest:
            store_segments(mirror, made, before, progress)
            report = mirror.folder / REPORT
            mirror.remote.publish(
                made.generation, _manifest(mirror.folder), read_regular(report) if report.is_file() else None, follows
            )


@contextmanager
def _naming_url(mirror: Mirror) -> Iterator[None]:
    """Let errors about the index itself, not about its local copy, name the URL."""
    try:
        yield
    except (IndexLockedError, SettingsError) as error:
        message = str(error)
        for local in (mirror.folder, mirror.folder.parent):
            message = message.replace(str(local), mirror.remote.url)
        raise type(error)(message) from None


def _manifest(folder: Path) -> bytes:
    return read_regular(folder / (DESCRIPTION if is_sharded(folder) else MANIFEST))


def store_segments(mirror: Mirror, made: Manifest, before: set[str], progress: Progress) -> None:
    """Store the segments of a generation that the one before did not have."""
    new = [mirror.folder / entry.folder for entry in made.segments if entry.name not in before]
    total = sum(path.stat().st_size for folder in new for path in folder.rglob("*") if path.is_file())
    advance = counting(progress, "storing", total)
    for folder in new:
        mirror.remote.store_segment(folder, advance)
