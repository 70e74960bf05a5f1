"""A local copy of an index in object storage: an ordinary index folder, brought to a generation before it is opened.

<cache>/<hash of the URL>/origin.json       the URL
<cache>/<hash of the URL>/read/x.foxir/     what readers open
<cache>/<hash of the URL>/write/x.foxir/    what a writer changes, before it publishes

`FOXIR_CACHE` names the folder (`~/.cache/foxir`), `FOXIR_CACHE_SIZE` the bytes that the copies may take (`20G`).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from fnmatch import fnmatch
from pathlib import Path

from engine.collection.ingest_report import REPORT, IngestReport
from engine.columns.checked_folder import reads_columns
from engine.errors import ArgumentError, IndexFormatError, StorageError
from engine.index.file_names import MANIFEST, SEGMENTS
from engine.index.generation import DESCRIPTION, SHARD, ShardedManifest, shard_name, verify_generation
from engine.index.joined import folders_of
from engine.index.manifest import Manifest
from engine.index.reader import IndexReader, open_reader
from engine.index.segment import DESCRIPTION as SEGMENT_DESCRIPTION
from engine.index.segment import FOLDERS, read_description
from engine.notices import Notice, about
from engine.object_store.remote_index import RemoteIndex
from engine.progress import Progress, counting, no_progress
from engine.system.byte_sizes import parse_bytes
from engine.system.files import clock_ns, plain_reason, read_regular, replace_file
from engine.system.held_folder import HeldFolder
from engine.system.platform import lock

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
        lock(file.fileno(), waits=True)
        yield


def touch(segment: Path) -> None:
    """Note that a copy is used now."""
    os.utime(segment / SEGMENT_DESCRIPTION)


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
    copies = root.glob(f"*/{READ}/**/{SEGMENTS}/*/{SEGMENT_DESCRIPTION}")
    real = root.resolve()  # nothing that a link leads to outside of it is a copy
    sizes = {path.parent: _size(path.parent) for path in copies if path.resolve().is_relative_to(real)}
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
            with suppress(OSError), _held_in(root, path.parent) as segments:
                segments.remove([path.name])
            total -= 0 if path.exists() else sizes[path]  # it may be in use


@contextmanager
def _held_in(root: Path, folder: Path) -> Iterator[HeldFolder]:
    """Hold a folder below another one open; raises OSError where a link leads to it by now."""
    with ExitStack() as opened:
        held = opened.enter_context(HeldFolder(root))
        for name in folder.relative_to(root).parts:
            held = opened.enter_context(held.folder(name))
        yield held


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _age(segment: Path, now: int) -> float:
    """Return the seconds since a copy was used, or until then if the clock was ahead and has been set back."""
    return abs(now - (segment / SEGMENT_DESCRIPTION).stat().st_mtime_ns) / 10**9


ORIGIN = "origin.json"


class Mirror:
    """The local copy of the index at a URL, for readers, or for a writer."""

    def __init__(self, url: str, use: str = READ) -> None:
        self.remote = RemoteIndex(url)
        self.root = cache_folder()
        self.use = use
        key = hashlib.sha256(self.remote.url.encode()).hexdigest()[:16]
        self.folder = self.root / key / use / (self.remote.url.rpartition("/")[2] or "index")

    def bring_to(
        self, generation: int, progress: Progress = no_progress, shards: tuple[int, ...] | None = None
    ) -> None:
        """Make the folder the index of a generation, 0 for none; missing segments are fetched and checked.

        Args:
            shards: of a sharded index, only these are fetched; None for all.
        Raises: StorageError; IndexFormatError if an object is damaged: the folder then is as it was.
        """
        with cache_lock(self.root):
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            replace_file(self.folder.parents[1] / ORIGIN, json.dumps({"url": self.remote.url}).encode())
            with self._held() as folder:
                if not generation:
                    folder.remove(folder.names())
                    return
                raw = self.remote.manifest(generation)
                self._fetch(self._parsed(generation, raw, shards, folder), folder, progress)
                folder.check()
                self._take_up(generation, raw, folder)

    @contextmanager
    def _held(self) -> Iterator[HeldFolder]:
        """Hold the folder open, made where it is missing; raises StorageError for a link or a file in its place."""
        with HeldFolder(self.folder.parent) as parent, self._inner(parent, self.folder.name) as opened:
            yield opened

    @contextmanager
    def _inner(self, folder: HeldFolder, *names: str) -> Iterator[HeldFolder]:
        """Hold a folder in another one open, as `_held` does."""
        with ExitStack() as opened:
            try:
                for name in names:
                    folder = opened.enter_context(folder.folder(name, make=True))
            except OSError as error:
                reason = plain_reason(folder.path / name, error)
                raise StorageError(f"{folder.path / name}: cannot hold a local copy: {reason}. Remove it.") from None
            yield folder

    def _take_up(self, generation: int, raw: bytes, folder: HeldFolder) -> None:
        """Make a manifest and the report of its build those of the folder; of an index of the other kind none is left.

        A report is never beside a manifest that it does not belong to.
        """
        is_sharded = _is_sharded(raw)
        name, other = (DESCRIPTION, MANIFEST) if is_sharded else (MANIFEST, DESCRIPTION)
        if not (self.folder / name).is_file() or read_regular(self.folder / name) != raw:
            folder.remove([REPORT])
            report = self.remote.report(generation)
            folder.replace(name, raw, sync=False)
            if report is not None:
                folder.replace(REPORT, report, sync=False)
        folder.remove([other])
        if self.use == WRITE:  # readers may still read what they opened
            folder.remove(each for each in folder.names() if fnmatch(each, SEGMENTS if is_sharded else f"{SHARD}*"))

    def _parsed(self, generation: int, raw: bytes, shards: tuple[int, ...] | None, folder: HeldFolder) -> Manifest:
        """Return the manifest of a generation, combined of the given shards, whose folders it makes.

        Args:
            shards: their numbers, None for all.

        Raises: IndexFormatError.
        """
        path = self.remote.manifest_url(generation)
        if _is_sharded(raw):
            sharded = ShardedManifest.parse(path, raw)
            for number in range(len(sharded.shards)):
                with self._inner(folder, shard_name(number)):
                    pass
            found = sharded.combined(shards)
        else:
            found = Manifest.parse(path, raw)
        if found.generation != generation:
            raise IndexFormatError(f"{path}: contains generation {found.generation}: do not use this index.")
        return found

    def _fetch(self, manifest: Manifest, folder: HeldFolder, progress: Progress) -> None:
        """Fetch the segments that are missing: each into a folder of its own, renamed when it is whole."""
        missing = [entry for entry in manifest.segments if not is_whole(self.folder / entry.folder, entry.digest)]
        for entry in manifest.segments:
            if entry not in missing:
                touch(self.folder / entry.folder)
        described = {entry.name: self.remote.describe_segment(entry.name, entry.digest) for entry in missing}
        sizes = [
            file["size"] for _, each in described.values() for files in (each.articles, each.elements)
            for file in files.values()
        ]  # fmt: skip
        if self.use == READ:
            make_room(self.root, [self.folder / entry.folder for entry in manifest.segments], sum(sizes))
        advance = counting(progress, "fetching", sum(sizes))
        for entry in missing:
            raw, description = described[entry.name]
            unfinished = f".fetching-{os.getpid()}-{entry.name}"
            folder.remove([unfinished])
            try:
                self.remote.fetch_segment(entry.name, description, folder.path_of(unfinished), advance)
                with self._inner(folder, unfinished) as written:
                    written.replace(SEGMENT_DESCRIPTION, raw, sync=False)
                with self._inner(folder, *entry.folder.parts[:-1]) as segments:
                    segments.remove([entry.name])  # a damaged copy
                    folder.rename(unfinished, entry.name, to=segments)
            finally:
                folder.remove([unfinished])


def open_mirror(url: str, progress: Progress = no_progress) -> Path:
    """Return the local folder of the index at a URL, brought to its newest generation.

    Raises: StorageError; IndexFormatError if there is no index, or it is damaged.
    """
    mirror = Mirror(url)
    generation = mirror.remote.newest()
    if not generation:
        raise IndexFormatError(about(url, Notice("no_remote_index", {"url": url})))
    mirror.bring_to(generation, progress)
    return mirror.folder


def is_newest(url: str, opened: Manifest) -> bool:
    """Return whether a generation is the newest at a URL; another one of the same number is another generation.

    Raises: StorageError; IndexFormatError if the manifest there is damaged.
    """
    remote = RemoteIndex(url)
    generation = remote.newest()
    if not generation or generation != opened.generation:
        return False
    raw, path = remote.manifest(generation), remote.manifest_url(generation)
    return (ShardedManifest.parse(path, raw).combined() if _is_sharded(raw) else Manifest.parse(path, raw)) == opened


def origin_of(folder: Path) -> str | None:
    """Return the URL of which a folder is the local copy; None of any other folder."""
    path = folder.absolute().parents[1] / ORIGIN if len(folder.absolute().parents) > 1 else None
    if path is None or folder.absolute().parent.name not in (READ, WRITE) or not path.is_file():
        return None
    try:
        url = json.loads(read_regular(path))["url"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return url if isinstance(url, str) else None


def _is_sharded(raw: bytes) -> bool:
    """Return whether bytes of a manifest are those of a sharded index."""
    try:
        return "shards" in json.loads(raw)
    except (ValueError, TypeError, RecursionError):
        return False


@reads_columns
def verify_opened(reader: IndexReader) -> None:
    """Compare every block of every file with its checksum.

    Raises: IndexFormatError at the first mismatch; damaged local copies of segments are removed, and fetched again when
        the index is opened next.
    """
    if len(folders := folders_of(reader.folder)) > 1:
        for folder in folders:
            with open_reader(folder) as member:
                verify_opened(member)
        return
    try:
        verify_index(reader)
    except IndexFormatError as error:
        url = origin_of(reader.folder)
        if url is None or not _remove_damaged(reader):
            raise
        raise IndexFormatError(
            f"{url}: the local copy was damaged ({error}). It is removed; the object storage is not affected. Repeat "
            "the command, which fetches it again."
        ) from None


def _remove_damaged(reader: IndexReader) -> bool:
    """Remove the segments that are damaged, and return whether there was one."""
    n_removed = 0
    for segment in reader.segments:
        try:
            segment.verify()
        except IndexFormatError:
            root, folder = reader.folder.parent, segment.folder
            with suppress(OSError), _held_in(root, folder.parent) as segments, segments.folder(folder.name) as copy:
                copy.remove([SEGMENT_DESCRIPTION])  # without it, what is in use is fetched again, too
                segments.remove([folder.name])
            n_removed += 1
    return n_removed > 0


@reads_columns
def verify_index(reader: IndexReader) -> None:
    """Compare every block of every file with its checksum; raises IndexFormatError at the first mismatch."""
    verify_generation(reader.folder)
    for segment in reader.segments:
        segment.verify()
    IngestReport.verify(reader.folder)
