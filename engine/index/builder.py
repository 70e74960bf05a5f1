"""Building and updating an index: sources in, a new generation out.

    what changed  ->  batches  ->  parts (worker processes)  ->  one segment  ->  the manifest, replaced

The index on disk is whole at every moment: until the manifest is replaced, readers and a later build see the old one.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from engine.analysis import Analyser, analyser_from, make_analyser
from engine.collection.limits import Limits
from engine.collection.profile import Profile, load_profile
from engine.collection.report import REPORT, IngestReport
from engine.collection.sources import Entry, Skipped, SourceListing, open_sources, source_key
from engine.errors import CollectionError, SettingsError
from engine.index.changes import find_changes, live_ids
from engine.index.commit import Progress, commit, merge_segments, publish
from engine.index.counts import count
from engine.index.generation import SEGMENTS, open_segments, profile_of
from engine.index.lock import LOCK, writer_lock
from engine.index.manifest import MANIFEST, Manifest, read_manifest
from engine.index.sweeping import WORK, sweep_unfinished, sweep_unpublished
from engine.index.worker import BATCH_BYTES, BatchResult, Recipe, begin_worker, interrupts_wait, process_batch

MEMORY_A_JOB = 192 * 2**20
MEMORY_A_BYTE = 24  # of XML, where a batch is a document larger than others
WORTH_A_PROCESS = 32 * 2**20  # bytes of XML below which starting processes costs more than it saves


def _silent(_stage: str, _done: int, _total: int) -> None:
    """Report nothing."""


@dataclass(frozen=True)
class BuildSettings:
    """How an index is built; analyser and profile are None where an existing index decides."""

    analyser: Analyser | None = None
    profile: Profile | None = None
    jobs: int = 1
    memory: int = 2**30  # bytes, over all processes
    stop_on_error: bool = False
    limits: Limits = field(default_factory=Limits)


def update_index(
    index: Path,
    sources: Sequence[str],
    settings: BuildSettings | None = None,
    *,
    forget: Sequence[str] = (),
    progress: Progress = _silent,
) -> IngestReport:
    """Bring an index up to date with its sources and return the report; make it where there is none.

    Args:
        sources: the same source again brings its documents up to date, another one is added; none: all are read again.
        forget: sources whose documents leave the index.
    Raises: CollectionError, SettingsError, IndexFormatError, IndexLockedError; the index stays as it was then.
    """
    settings = settings or BuildSettings()
    began = time.perf_counter()
    _refuse_strangers(index)
    with _writing(index):
        old = _old_manifest(index, settings)
        wanted, remembered = _wanted_sources(old, sources, forget)
        with _workspace(index) as work, _listing(wanted, settings.limits, work, progress) as listing:
            segments = open_segments(index, old)
            previous = IngestReport.load(index)
            forgotten = {source_key(source) for source in forget}
            changes = find_changes(old, segments, listing, set(map(source_key, wanted)), forgotten, previous.times)
            recipe = _recipe(old, settings)
            results = _read(changes.new, recipe, settings, work, progress)
            skipped = [*listing.skipped, *(skip for result in results for skip in result.skipped)]
            if settings.stop_on_error and skipped:
                raise CollectionError(_refusal(skipped))
            manifest = commit(index, old, remembered, changes, results, progress)
            report = replace(
                count(index, manifest),
                read=sum(result.n_documents for result in results),
                dropped=sum(map(len, changes.deleted.values())),
                bytes=sum(result.n_bytes for result in results),
                seconds=round(time.perf_counter() - began, 3),
                skipped=skipped,
            )
            times = {**previous.times, **{entry.document: entry.mtime_ns for entry in listing.entries}}
            live = live_ids(manifest, open_segments(index, manifest))
            report = replace(report, times={document: times[document] for document in times if document in live})
            report.write(index)
            return report


def build_index(
    *sources: str | Path,
    into: str | Path,
    profile: str = "auto",
    analyser: str = "default",
    stem: str = "none",
    stop: str = "none",
    jobs: int = 1,
) -> IngestReport:
    """Index some sources into a folder and return the report; an index that is there is brought up to date.

    Args:
        sources: files, folders, patterns, archives, `@lists`; see docs/formats.md.
        jobs: worker processes; more than one needs a main module that is guarded by `if __name__ == "__main__"`.
    Raises: FoxirError; the index stays as it was then.
    """
    settings = BuildSettings(make_analyser(analyser, stem, stop), load_profile(profile), jobs)
    return update_index(Path(into), [str(source) for source in sources], settings)


def compact_index(index: Path, *, progress: Progress = _silent) -> Manifest:
    """Merge all segments to one, without the deleted documents; return the new generation."""
    read_manifest(index)  # what is no index gets no lock
    _refuse_strangers(index)
    with _writing(index):
        old = read_manifest(index)
        if len(old.segments) <= 1 and not any(entry.deleted for entry in old.segments):
            return old
        merged = merge_segments(index, old.segments, progress)
        return publish(index, old, old.sources, merged)


@contextmanager
def _writing(index: Path) -> Iterator[None]:
    """Hold an index for writing; what is begun in vain is removed at once: perhaps it is what fills the disk."""
    with writer_lock(index):
        sweep_unfinished(index)
        before = set((index / SEGMENTS).glob("*"))
        try:
            yield
        except BaseException:
            sweep_unfinished(index)
            sweep_unpublished(index, before)
            raise


def _refuse_strangers(index: Path) -> None:
    """Refuse a folder that holds what no index holds, before anything is written into it or swept."""
    if (index / SEGMENTS).is_symlink():
        raise CollectionError(
            f"{index / SEGMENTS}: a link, and an index holds none: put what it leads to in its place."
        )
    if index.is_dir() and not (index / MANIFEST).exists():
        names = [path.name for path in index.iterdir() if not path.name.startswith(".")]
        if strangers := sorted(set(names) - {LOCK, SEGMENTS, REPORT}):
            raise CollectionError(
                f"{index}: holds other files ('{strangers[0]}') and no index: name a new or an empty folder."
            )


def _old_manifest(index: Path, settings: BuildSettings) -> Manifest:
    """Return the generation to build on: the newest, or an empty one for a new index."""
    if not (index / MANIFEST).exists():
        analyser = settings.analyser or Analyser()
        profile = settings.profile or load_profile("auto")
        return Manifest(analyser.to_dict(), {**profile.to_dict(), "digest": profile.digest})
    old = read_manifest(index)
    if settings.analyser and settings.analyser.to_dict() != old.analyser:
        raise SettingsError(
            f"{index}: was made with {analyser_from(old.analyser)}, asked for {settings.analyser}: leave the options "
            "out, or index into a new folder."
        )
    if settings.profile and settings.profile.digest != old.profile["digest"]:
        raise SettingsError(
            f"{index}: was made with the profile '{old.profile['name']}', asked for '{settings.profile.name}': leave "
            "the option out, or index into a new folder."
        )
    return old


def _recipe(manifest: Manifest, settings: BuildSettings) -> Recipe:
    return Recipe(analyser_from(manifest.analyser), profile_of(manifest), settings.limits)


def _wanted_sources(old: Manifest, sources: Sequence[str], forget: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Return the sources to read now, and those the index will remember."""
    gone = {source_key(source) for source in forget}
    if unknown := sorted(gone - set(old.sources)):
        known = ", ".join(old.sources) or "none"
        raise CollectionError(f"source '{unknown[0]}' is not one of this index; it remembers: {known}.")
    remembered = tuple(source for source in old.sources if source not in gone)
    if not sources and not remembered and not gone:
        raise CollectionError("no source: name files, folders, patterns or archives to index.")
    keys = {source_key(source): source for source in sources}
    wanted = list(keys.values()) or ([] if gone else list(remembered))
    return wanted, (*remembered, *(key for key in keys if key not in remembered))


@contextmanager
def _workspace(index: Path) -> Iterator[Path]:
    """A folder inside the index for spilled parts."""
    with tempfile.TemporaryDirectory(prefix=WORK, dir=index) as folder:
        yield Path(folder)


def _listing(
    wanted: Sequence[str], limits: Limits, work: Path, progress: Progress
) -> AbstractContextManager[SourceListing]:
    return open_sources(
        wanted,
        limits=limits,
        spool_folder=work,
        progress=lambda archive, done, total: progress(f"unpacking {Path(archive).name}", done, total),
    )


def _batches(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    batch: list[Entry] = []
    size = 0
    for entry in entries:
        batch.append(entry)
        size += max(entry.xml_bytes, 512)
        if size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _read(
    entries: Sequence[Entry], recipe: Recipe, settings: BuildSettings, work: Path, progress: Progress
) -> list[BatchResult]:
    """Read all documents into spilled parts, in their order."""
    batches = [(batch, work / f"part-{number:06d}") for number, batch in enumerate(_batches(entries))]
    total = sum(entry.size for entry in entries)
    largest = max((entry.xml_bytes for entry in entries), default=0)
    memory_a_job = max(MEMORY_A_JOB, MEMORY_A_BYTE * largest)
    jobs = max(1, min(settings.jobs, settings.memory // memory_a_job, len(batches)))
    results = []
    done = 0
    try:
        with _runner(1 if total < WORTH_A_PROCESS else jobs) as run:
            waiting = [(run(batch, recipe, folder), batch) for batch, folder in batches]
            for ready, batch in waiting:
                results.append(ready())
                done += sum(entry.size for entry in batch)
                progress("reading", done, total)
    except BrokenProcessPool:
        raise CollectionError(
            "a worker process ended while it read documents, perhaps for want of memory: use fewer processes "
            "(--jobs 1), or a smaller limit on documents (--set max_text=8M)."
        ) from None
    except MemoryError:
        raise CollectionError(
            "reading the documents needs more memory than there is: use fewer processes (--jobs 1), or a smaller limit "
            "on documents (--set max_text=8M)."
        ) from None
    return results


@contextmanager
def _runner(jobs: int) -> Iterator[Callable[..., Callable[[], BatchResult]]]:
    """Give a function that starts a batch and returns how to wait for its result."""
    if jobs == 1:
        yield lambda *job: lambda: process_batch(*job)
        return
    context = _process_context()
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=begin_worker)

    def start(*job: Any) -> Callable[[], BatchResult]:
        with interrupts_wait():
            return pool.submit(process_batch, *job).result

    try:
        yield start
    finally:
        pool.shutdown(cancel_futures=True)


def _process_context() -> multiprocessing.context.BaseContext:
    """Return how to start workers: by fork where nothing but this thread runs, else from a server that is single."""
    if threading.active_count() == 1 and len(list(Path("/proc/self/task").glob("*"))) == 1:
        return multiprocessing.get_context("fork")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["engine.index.worker"])
    return context


def _refusal(skipped: Sequence[Skipped]) -> str:
    first = skipped[0]
    return f"{first.file}:{first.line}: {first.reason} (--on-error stop: nothing was indexed; {len(skipped)} in all)"
