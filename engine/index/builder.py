"""Building and updating an index: sources in, a new generation out.

    what changed  ->  batches  ->  parts (worker processes)  ->  one segment  ->  the manifest, replaced

The index on disk is whole at every moment: until the manifest is replaced, readers and a later build see the old one.
"""

from __future__ import annotations

import math
import multiprocessing
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from engine.analysis import Analyser, analyser_from, make_analyser
from engine.collection.profile import Profile, load_profile
from engine.collection.reader import Limits
from engine.collection.report import REPORT, IngestReport
from engine.collection.sources import Entry, Skipped, SourceListing, open_sources, source_key
from engine.errors import CollectionError, SettingsError
from engine.index.changes import Changes, find_changes, live_ids
from engine.index.filtering import without
from engine.index.generation import SEGMENTS, open_segments, profile_of
from engine.index.lock import LOCK, writer_lock
from engine.index.manifest import MANIFEST, Manifest, SegmentEntry, Statistics, read_manifest
from engine.index.part import Part
from engine.index.segment import Segment, write_segment
from engine.index.worker import BATCH_BYTES, BatchResult, Recipe, process_batch

MEMORY_A_JOB = 192 * 2**20
WORTH_A_PROCESS = 32 * 2**20  # bytes of XML below which starting processes costs more than it saves
MAX_SEGMENTS = 8

Progress = Callable[[str, int, int], None]  # stage, done, total


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
    with writer_lock(index):
        old = _old_manifest(index, settings)
        wanted, remembered = _wanted_sources(old, sources, forget)
        with _workspace(index) as work, _listing(wanted, work, progress) as listing:
            segments = open_segments(index, old)
            previous = IngestReport.load(index)
            forgotten = {source_key(source) for source in forget}
            changes = find_changes(old, segments, listing, set(map(source_key, wanted)), forgotten, previous.times)
            recipe = _recipe(old, settings)
            results = _read(changes.new, recipe, settings, work, progress)
            skipped = [*listing.skipped, *(skip for result in results for skip in result.skipped)]
            if settings.stop_on_error and skipped:
                raise CollectionError(_refusal(skipped))
            manifest = _commit(index, old, remembered, changes, results, progress)
            report = replace(
                _counts(index, manifest),
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
    with writer_lock(index):
        old = read_manifest(index)
        if len(old.segments) <= 1 and not any(entry.deleted for entry in old.segments):
            return old
        merged = _merge(index, old.segments, progress)
        return _publish(index, old, old.sources, merged)


def _refuse_strangers(index: Path) -> None:
    """Refuse a folder that holds what no index holds, before anything is written into it."""
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
    """A folder inside the index for spilled parts; what a killed build left of its own is swept first."""
    for leftover in index.glob(".work-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    for name in (MANIFEST, REPORT):
        for unpublished in index.glob(f".{name}.*"):
            unpublished.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix=".work-", dir=index) as folder:
        yield Path(folder)


def _listing(wanted: Sequence[str], work: Path, progress: Progress) -> AbstractContextManager[SourceListing]:
    return open_sources(
        wanted,
        spool_folder=work,
        progress=lambda archive, done, total: progress(f"unpacking {Path(archive).name}", done, total),
    )


def _batches(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    batch: list[Entry] = []
    size = 0
    for entry in entries:
        batch.append(entry)
        size += max(entry.size, 512)
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
    jobs = max(1, min(settings.jobs, settings.memory // MEMORY_A_JOB, len(batches)))
    results = []
    done = 0
    with _runner(1 if total < WORTH_A_PROCESS else jobs) as run:
        waiting = [(run(batch, recipe, folder), batch) for batch, folder in batches]
        for ready, batch in waiting:
            results.append(ready())
            done += sum(entry.size for entry in batch)
            progress("reading", done, total)
    return results


@contextmanager
def _runner(jobs: int) -> Iterator[Callable[..., Callable[[], BatchResult]]]:
    """Give a function that starts a batch and returns how to wait for its result."""
    if jobs == 1:
        yield lambda *job: lambda: process_batch(*job)
        return
    context = _process_context()
    pool = ProcessPoolExecutor(jobs, mp_context=context)
    try:
        yield lambda *job: pool.submit(process_batch, *job).result
    except BrokenProcessPool:
        raise CollectionError(
            "a worker process ended while it read documents, perhaps for want of memory: use fewer processes "
            "(--jobs 1)."
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


def _process_context() -> multiprocessing.context.BaseContext:
    """Return how to start workers: by fork where nothing but this thread runs, else from a server that is single."""
    if threading.active_count() == 1 and len(list(Path("/proc/self/task").glob("*"))) == 1:
        return multiprocessing.get_context("fork")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["engine.index.worker"])
    return context


def _commit(
    index: Path,
    old: Manifest,
    sources: tuple[str, ...],
    changes: Changes,
    results: Sequence[BatchResult],
    progress: Progress,
) -> Manifest:
    """Write the new segment, if there is anything for it, and publish the generation."""
    entries = [
        replace(entry, deleted=tuple(sorted({*entry.deleted, *changes.deleted.get(entry.name, ())})))
        for entry in old.segments
    ]
    parts = [Part.load(result.folder) for result in results if result.folder]
    if parts:
        name, digest = _write(index, parts, progress)
        entries = [entry for entry in entries if entry.name != name] + [SegmentEntry(name, digest)]
    entries = [entry for entry in entries if not _all_deleted(index, entry)]
    if len(entries) > MAX_SEGMENTS:
        by_size = sorted(entries, key=lambda entry: Segment(index / SEGMENTS / entry.name, entry.digest).size_bytes)
        smallest = by_size[: len(entries) - MAX_SEGMENTS + 1]
        merged = _merge(index, smallest, progress)
        entries = [entry for entry in entries if entry not in smallest] + list(merged)
    if tuple(entries) == old.segments and sources == old.sources and old.generation:
        return old
    return _publish(index, old, sources, tuple(entries))


def _all_deleted(index: Path, entry: SegmentEntry) -> bool:
    return (
        bool(entry.deleted) and len(entry.deleted) == Segment(index / SEGMENTS / entry.name, entry.digest).n_documents
    )


def _write(index: Path, parts: Sequence[Part], progress: Progress) -> tuple[str, str]:
    total = sum(int(part.pointers["positions"][-1]) for part in parts)
    done = 0

    def advance(n_occurrences: int) -> None:
        nonlocal done
        done += n_occurrences
        progress("merging", done, total)

    return write_segment(parts, index / SEGMENTS, advance)


def _merge(index: Path, entries: Sequence[SegmentEntry], progress: Progress) -> tuple[SegmentEntry, ...]:
    """Return the one segment (or none) that the live documents of some segments make."""
    parts = []
    for entry in entries:
        segment = Segment(index / SEGMENTS / entry.name, entry.digest)
        segment.verify()
        parts.append(without(segment.part(), np.array(entry.deleted, np.int64)))
    parts = [part for part in parts if part.ids]
    return (SegmentEntry(*_write(index, parts, progress)),) if parts else ()


def _publish(index: Path, old: Manifest, sources: tuple[str, ...], entries: tuple[SegmentEntry, ...]) -> Manifest:
    manifest = replace(old, generation=old.generation + 1, sources=sources, segments=entries)
    manifest = replace(manifest, statistics=_statistics(open_segments(index, manifest), entries))
    manifest.write(index)
    _sweep(index, old, manifest)
    return manifest


def _statistics(segments: Sequence[Segment], entries: Sequence[SegmentEntry]) -> Statistics:
    """Return the sums over all live documents, exact whatever the segments."""
    documents = elements = tokens = 0
    weights: list[float] = []
    for segment, entry in zip(segments, entries, strict=True):
        live = np.ones(segment.n_documents, np.bool_)
        live[list(entry.deleted)] = False
        documents += int(live.sum())
        elements += int(np.diff(segment.first_row)[live].sum())
        tokens += int(segment.articles.column("length_tokens").all()[live].astype(np.int64).sum())
        weights += segment.articles.column("weight").all()[live].tolist()
    return Statistics(documents, elements, tokens, math.fsum(weights) / documents if documents else 0.0)


def _sweep(index: Path, old: Manifest, new: Manifest) -> None:
    """Remove segments that neither this generation nor the one before names: a reader may be opening that one."""
    named = {entry.name for manifest in (old, new) for entry in manifest.segments}
    for folder in (index / SEGMENTS).glob("*"):
        if folder.name not in named:
            shutil.rmtree(folder, ignore_errors=True)


def _counts(index: Path, manifest: Manifest) -> IngestReport:
    """Return a report of what the index holds."""
    segments = open_segments(index, manifest)
    leaves = 0
    for segment, entry in zip(segments, manifest.segments, strict=True):
        counts = segment.elements.column("leaf_count").all().astype(np.int64)
        leaves += int(counts.sum() - counts[list(entry.deleted)].sum())
    return IngestReport(
        documents=manifest.statistics.documents,
        elements=manifest.statistics.elements,
        leaves=leaves,
        terms=_count_terms(segments, manifest.segments),
    )


def _count_terms(segments: Sequence[Segment], entries: Sequence[SegmentEntry]) -> int:
    """Return the number of distinct terms of the live documents; of a single segment it may be known."""
    if len(segments) == 1 and not entries[0].deleted:
        return segments[0].n_terms
    return len(set().union(*map(_live_terms, segments, entries)))


def _live_terms(segment: Segment, entry: SegmentEntry) -> list[bytes]:
    terms = segment.articles.strings("terms").all()
    if not entry.deleted:
        return terms
    is_live = np.ones(segment.n_documents, np.bool_)
    is_live[list(entry.deleted)] = False
    live_before = np.concatenate([[0], np.cumsum(is_live[segment.articles.column("document").all()])])
    n_live = np.diff(live_before[segment.articles.column("postings_of_term").all()])
    return [term for term, count in zip(terms, n_live.tolist(), strict=True) if count]


def _refusal(skipped: Sequence[Skipped]) -> str:
    first = skipped[0]
    return f"{first.file}:{first.line}: {first.reason} (--on-error stop: nothing was indexed; {len(skipped)} in all)"
