"""Builds, updates and compacts sharded indexes: documents by the hash of their id, one generation over all shards.

The shards are changed one after the other; then `shards.json` is replaced. Until then readers and later writers see
the old generation: its segments stay, and a shard that a killed writer had already changed is set back.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from engine.collection.ingest_report import IngestReport
from engine.collection.sources.source_listing import SourceListing, source_key
from engine.errors import SettingsError
from engine.index.content_counts import count_content
from engine.index.generation import open_segments
from engine.index.manifest import Manifest
from engine.index.modification_times import carry_times
from engine.index.sharded_manifest import Shard, ShardedManifest, is_sharded, shard_name
from engine.index.write_lock import writer_lock
from engine.indexing.build import ignored_files, images_if_any, lost_first, take_up_changes, workspace
from engine.indexing.build_notices import (
    misspelt_tags,
    no_documents,
    unmatched_exclusions,
    unread_images,
    unused_split_tags,
    without_words,
)
from engine.indexing.build_settings import BuildSettings
from engine.indexing.build_sources import listing_of, wanted_sources
from engine.indexing.cleanup import remove_unfinished
from engine.indexing.commit import totals_of
from engine.indexing.compaction import merge_all
from engine.indexing.fixed_settings import check_settings, empty_manifest
from engine.indexing.shard_folders import check_folder, restore_shards
from engine.progress import Progress
from engine.system.files import sync_folder


def update_shards(
    index: Path,
    sources: Sequence[str],
    settings: BuildSettings,
    n_shards: int | None,
    forget: Sequence[str],
    progress: Progress,
) -> IngestReport:
    """Bring a sharded index up to date, or create one; arguments, result and errors of `engine.indexing.updating`."""
    began = time.perf_counter()
    check_folder(index)
    with _writing_shards(index):
        old = _old_manifest(index, settings, n_shards)
        wanted, remembered, notices = wanted_sources(old.combined(), sources, forget)
        read_now, forgotten = set(map(source_key, wanted)), set(map(source_key, forget))
        with workspace(index) as work, listing_of(wanted, settings.limits, work, progress) as listing:
            manifests, reports, names = [], [], frozenset[str]()
            for number, part in enumerate(_parts_of(listing, len(old.shards))):
                shard = index / shard_name(number)
                _make_shard(shard, old.shard(number))
                (work / shard_name(number)).mkdir()
                manifest, report, of_shard = take_up_changes(
                    shard,
                    old.shard(number),
                    remembered,
                    part,
                    read_now,
                    forgotten,
                    settings,
                    work / shard_name(number),
                    _of_shard(progress, number, len(old.shards)),
                )
                manifests.append(manifest)
                reports.append(report)
                names |= of_shard
            new = _publish(index, old, remembered, manifests)
            for number, report in enumerate(reports):
                report.write(index / shard_name(number))
            whole = replace(
                _sum_of(reports),
                seconds=round(time.perf_counter() - began, 3),
                skipped=lost_first([*listing.skipped, *(skipped for report in reports for skipped in report.skipped)]),
                notices=[
                    *notices,
                    *dict.fromkeys(notice for report in reports for notice in report.notices),
                    *no_documents(listing),
                    *unmatched_exclusions(old.combined(), listing),
                    *unused_split_tags(old.combined(), names),
                    *(() if old.combined().segments else misspelt_tags(index, new.combined())),
                    *unread_images(_sum_of(reports).images),
                ],
                ignored=ignored_files(index, new.combined(), listing),
            )
            counts = count_content(index, new.combined())
            whole = replace(
                whole,
                documents=counts.documents,
                elements=counts.elements,
                leaves=counts.leaves,
                terms=counts.terms,
                notices=[*whole.notices, *without_words(counts)],
            )
            whole.write(index)
            return whole


def compact_shards(index: Path, memory: int, progress: Progress) -> None:
    """Merge all segments of each shard into one without deleted documents; arguments of `engine.indexing.updating`."""
    with _writing_shards(index):
        old = ShardedManifest.read(index)
        shards = [
            merge_all(
                index / shard_name(number), old.shard(number), _of_shard(progress, number, len(old.shards)), memory
            )
            for number in range(len(old.shards))
        ]
        _publish(index, old, old.sources, shards)
        for number, new in enumerate(shards):
            carry_times(index / shard_name(number), old.shard(number), new)


def shard_of(document_id: str, n_shards: int) -> int:
    """Return the number of the shard that contains a document: SHA-256 of its id, first eight bytes, modulo n."""
    return int.from_bytes(hashlib.sha256(document_id.encode()).digest()[:8], "big") % n_shards


def _make_shard(shard: Path, empty: Manifest) -> None:
    """Create the folder of a shard, with a manifest that tells it from folders of others, unless it is there."""
    if not shard.is_dir():
        shard.mkdir()
        empty.write(shard)
        sync_folder(shard.parent)


def _of_shard(progress: Progress, number: int, n_shards: int) -> Progress:
    return lambda stage, done, total: progress(f"shard {number + 1} of {n_shards}: {stage}", done, total)


def _parts_of(listing: SourceListing, n_shards: int) -> Iterator[SourceListing]:
    """Yield for each shard the documents that it contains."""
    parts = [SourceListing(listing.sources, [], [], Counter(), listing.limits) for _ in range(n_shards)]
    for entry in listing.entries:
        parts[shard_of(entry.document_id, n_shards)].entries.append(entry)
    yield from parts


def _sum_of(reports: Sequence[IngestReport]) -> IngestReport:
    """Return the report of what was done in all shards."""
    kept: Counter[str] = Counter()
    images: Counter[str] = Counter()
    for report in reports:
        kept.update(report.kept_entities)
        images.update(report.images)
    return IngestReport(
        read=sum(report.read for report in reports),
        dropped=sum(report.dropped for report in reports),
        bytes=sum(report.bytes for report in reports),
        kept_entities=dict(sorted(kept.items())),
        images=images_if_any(dict(sorted(images.items()))),
    )


def _old_manifest(index: Path, settings: BuildSettings, n_shards: int | None) -> ShardedManifest:
    """Return the current generation, or an empty one for a new index."""
    if not is_sharded(index):
        empty = empty_manifest(settings)
        return ShardedManifest(empty.analyser, empty.profile, (Shard(),) * (n_shards or 1))
    old = ShardedManifest.read(index)
    if n_shards is not None and n_shards != len(old.shards):
        raise SettingsError(
            f"{index}: has {len(old.shards)} shards, not {n_shards}: omit --shards, or index into a new folder."
        )
    check_settings(index, old.combined(), settings)
    return old


def _publish(
    index: Path, old: ShardedManifest, sources: tuple[str, ...], manifests: Sequence[Manifest]
) -> ShardedManifest:
    """Publish the shards as a new generation of the whole, unless nothing changed; return it."""
    shards = tuple(Shard(each.generation, each.segments, each.statistics) for each in manifests)
    if shards == old.shards and sources == old.sources and old.generation:
        return old
    new = replace(old, generation=old.generation + 1, sources=sources, shards=shards)
    combined = new.combined()
    new = replace(new, statistics=totals_of(open_segments(index, combined), combined.segments))
    new.write(index)
    return new


@contextmanager
def _writing_shards(index: Path) -> Iterator[None]:
    """Hold the writer lock; before the first change and after a failure, every shard is as the generation says."""
    with writer_lock(index):
        remove_unfinished(index)
        restore_shards(index)
        try:
            yield
        except BaseException:
            remove_unfinished(index)
            restore_shards(index)
            raise
