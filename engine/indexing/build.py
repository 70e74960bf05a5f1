"""Builds and updates an index: sources in, a new generation out.

    changes  ->  batches  ->  parts (worker processes)  ->  one segment  ->  the manifest, replaced

The index on disk is consistent at every moment: until the manifest is replaced, readers and later builds see the old
generation.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from engine.collection.entities.entity_options import EntityOptions, UsedEntities, entities_digest, read_entities
from engine.collection.entities.named_entities import Entities
from engine.collection.ingest_report import IngestReport
from engine.collection.sources.image_files import EXTENSIONS
from engine.collection.sources.skipped import Skipped
from engine.collection.sources.source_listing import SourceListing, source_key
from engine.errors import CollectionError
from engine.index.content_counts import count_content
from engine.index.file_names import MANIFEST
from engine.index.generation import open_segments, profile_of
from engine.index.images.image_columns import has_images
from engine.index.manifest import Manifest
from engine.index.modification_times import known_times, manifest_digest, settled_before
from engine.indexing.build_notices import (
    another_extension,
    large_documents,
    misspelt_tags,
    no_documents,
    text_outside,
    unmatched_exclusions,
    unread_images,
    unresolved_inclusions,
    unused_split_tags,
    web_pages,
    without_words,
    wrong_ids,
)
from engine.indexing.build_settings import BuildSettings
from engine.indexing.build_sources import listing_of, wanted_sources
from engine.indexing.change_detection import find_changes, live_files
from engine.indexing.cleanup import WORK
from engine.indexing.commit import commit
from engine.indexing.fixed_settings import check_settings, empty_manifest
from engine.indexing.shard_folders import check_is_no_shard
from engine.indexing.workers.build_worker import BatchResult, ParseRules
from engine.indexing.workers.document_reading import read_documents
from engine.indexing.writing import check_folder, writing
from engine.progress import Progress, no_progress
from engine.system.memory import release_memory
from engine.text.analyser import analyser_from

# Digest of entities that equals no other.
OUTDATED = "outdated"
LOST = "it was indexed before, and is no longer searchable"
ENTITIES_CHANGED = (
    "declarations of entities, DTDs or the options that name them have changed: all documents were read again."
)


def update_index(
    index: Path,
    sources: Sequence[str],
    settings: BuildSettings | None = None,
    *,
    forget: Sequence[str] = (),
    progress: Progress = no_progress,
) -> IngestReport:
    """Bring an index up to date with its sources and return the report; create it if there is none.

    Args:
        sources: known sources are updated, new ones added; if empty, all known sources are updated. A source inside a
            known folder updates that folder. A source `!PATTERN` excludes files of all sources.
        forget: sources whose documents are removed.
    Raises: CollectionError, SettingsError, IndexFormatError, IndexLockedError; the index is unchanged then.
    """
    settings = settings or BuildSettings()
    began = time.perf_counter()
    check_folder(index)
    check_is_no_shard(index)
    with writing(index):
        old = _old_manifest(index, settings)
        wanted, remembered, notices = wanted_sources(old, sources, forget)
        with workspace(index) as work, listing_of(wanted, settings.limits, work, progress) as listing:
            forgotten = {source_key(source) for source in forget}
            manifest, report, names = take_up_changes(
                index, old, remembered, listing, set(map(source_key, wanted)), forgotten, settings, work, progress
            )
            report = replace(
                report,
                seconds=round(time.perf_counter() - began, 3),
                images=images_if_any(report.images),
                notices=[
                    *notices,
                    *report.notices,
                    *no_documents(listing),
                    *another_extension(listing),
                    *unmatched_exclusions(old, listing),
                    *unused_split_tags(old, names),
                    *(() if old.segments else misspelt_tags(index, manifest)),
                    *without_words(report),
                    *unread_images(report.images),
                ],
                ignored=ignored_files(index, manifest, listing),
            )
            report.write(index)
            return report


def take_up_changes(
    index: Path,
    old: Manifest,
    remembered: tuple[str, ...],
    listing: SourceListing,
    read_now: set[str],
    forgotten: set[str],
    settings: BuildSettings,
    work: Path,
    progress: Progress,
) -> tuple[Manifest, IngestReport, frozenset[str]]:
    """Publish a generation with what changed in the listed documents, and return it with its report, not yet written.

    Returns: also the names of the elements of files that are split.

    Args:
        remembered: keys of all sources of the new generation; read_now: of those that are listed; forgotten: of those
            whose documents are removed.
        work: a folder for temporary files.
    """
    settled = settled_before(work)
    previous, used = known_times(index, old)
    entities = read_entities(settings.entities, used.options)
    anew = bool(old.segments) and entities_digest(entities, used.dtds) != used.digest
    trusted = {} if settings.check == "content" else previous
    changes = find_changes(
        old,
        open_segments(index, old),
        listing,
        read_now,
        forgotten,
        trusted,
        progress,
        images=settings.images,
        anew=anew,
    )
    results = read_documents(changes.new, _rules(old, settings, entities), settings, work, progress)
    used = _used(settings.entities.over(used.options), entities, used, results)
    if anew and not read_now.issuperset(remembered):  # the others are read again in the next build
        used = replace(used, digest=OUTDATED)
    release_memory()
    skipped = [*listing.skipped, *(skip for result in results for skip in result.skipped)]
    if settings.stop_on_error and skipped:
        raise CollectionError(_refusal(skipped))
    manifest = commit(index, old, remembered, changes, results, progress, settings.memory)
    live = live_files(manifest, open_segments(index, manifest))
    times = {document: time for document, time in previous.items() if document in live}
    for entry in listing.entries:
        times.pop(entry.document_id, None)
        if entry.mtime_ns < settled and entry.document_id in live:
            times[entry.document_id] = entry.mtime_ns
    lost = {entry.name for entry in changes.new if entry.document_id in changes.replaced - live}
    report = replace(
        count_content(index, manifest),
        read=sum(result.n_documents for result in results),
        dropped=sum(map(len, changes.deleted.values())),
        bytes=sum(result.n_bytes for result in results),
        skipped=lost_first(_no_longer_searchable(each) if each.file in lost else each for each in skipped),
        notices=[
            *([ENTITIES_CHANGED] if anew else ()),
            *large_documents(results, settings.memory),
            *text_outside(old, results),
            *unresolved_inclusions(results),
            *web_pages(results),
            *wrong_ids(results),
        ],
        kept_entities=_sum(result.kept_entities or {} for result in results),
        entities=used.to_dict(),
        images=_sum(result.images or {} for result in results),
        times={document: times[document] for document in sorted(times)},
        manifest=manifest_digest(manifest),
    )
    return manifest, report, frozenset[str]().union(*(result.names for result in results))


def _old_manifest(index: Path, settings: BuildSettings) -> Manifest:
    """Return the current generation, or an empty one for a new index."""
    if not (index / MANIFEST).exists():
        return empty_manifest(settings)
    old = Manifest.read(index)
    check_settings(index, old, settings)
    return old


def _rules(manifest: Manifest, settings: BuildSettings, entities: Entities) -> ParseRules:
    analyser, profile = analyser_from(manifest.analyser), profile_of(manifest)
    return ParseRules(analyser, profile, settings.limits, entities, settings.images)


def _used(
    options: EntityOptions, entities: Entities, before: UsedEntities, results: Sequence[BatchResult]
) -> UsedEntities:
    """Return the entities that this build and earlier ones used."""
    dtds = before.dtds.union(*(result.dtds for result in results))
    return UsedEntities(options, dtds, entities_digest(entities, dtds))


@contextmanager
def workspace(index: Path) -> Iterator[Path]:
    """Yield a temporary folder inside the index for parts."""
    with tempfile.TemporaryDirectory(prefix=WORK, dir=index, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def ignored_files(index: Path, manifest: Manifest, listing: SourceListing) -> dict[str, int]:
    """Return how many files were not looked at, by extension; of an index with images, without images."""
    with_images = any(has_images(segment.elements) for segment in open_segments(index, manifest))
    looked_at = ("", *EXTENSIONS) if with_images else ("",)
    return {name: count for name, count in sorted(listing.ignored.items()) if name not in looked_at}


def images_if_any(counts: Mapping[str, int]) -> Mapping[str, int]:
    """Return the counts of images; none where no reference leads to a file, as where only texts were indexed."""
    return counts if counts.keys() - {"missing", "elsewhere"} else {}


def _sum(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(sorted(total.items()))


def lost_first(skipped: Iterable[Skipped]) -> list[Skipped]:
    """Return what was skipped, what is no longer searchable before the rest."""
    return sorted(skipped, key=lambda each: not each.reason.endswith(LOST))


def _no_longer_searchable(skipped: Skipped) -> Skipped:
    return skipped._replace(reason=f"{skipped.reason.removesuffix('.')}; {LOST}")


def _refusal(skipped: Sequence[Skipped]) -> str:
    first = skipped[0]
    return f"{first.file}:{first.line}: {first.reason} (--on-error stop: nothing was indexed; {len(skipped)} in all)"
