"""Builds, updates and compacts an index: sources in, a new generation out.

    sources  ->  changed documents  ->  batches  ->  parts (worker processes)  ->  a segment a shard  ->  the generation

An index without shards is the case of one. What lies on disk is consistent at every moment: until the manifest is
replaced, of a sharded index `shards.json`, readers and later builds see the old generation.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.collection.entities.entity_options import UsedEntities, entities_digest, read_entities
from engine.collection.inference.vocabularies import infer
from engine.collection.ingest_report import IngestReport
from engine.collection.profiles.profile import AUTO, Profile, Vocabulary
from engine.collection.profiles.profile_files import VOCABULARIES, digest_of, in_words, load_profile
from engine.collection.sources.document_entry import DocumentEntry, Skipped
from engine.collection.sources.image_files import EXTENSIONS
from engine.collection.sources.source_listing import SourceListing, source_key
from engine.errors import CollectionError, SettingsError
from engine.index.block_vectors import has_vectors
from engine.index.generation import (
    Generation,
    Shard,
    ShardedManifest,
    current_profile,
    defining_generation,
    is_index,
    is_sharded,
    open_segments,
    profile_of,
    read_generation,
)
from engine.index.images.image_columns import has_images
from engine.index.manifest import Manifest
from engine.indexing.build_notices import notices_of, notices_of_vocabularies
from engine.indexing.build_settings import BuildSettings
from engine.indexing.change_detection import (
    Changes,
    carry_times,
    find_changes,
    known_report,
    listing_of,
    live_files,
    manifest_digest,
    settled_before,
    stamp_of,
    wanted_sources,
)
from engine.indexing.commit import commit, count_content, merge_all, publish_shards
from engine.indexing.document_images import ImageRules
from engine.indexing.index_folder import check_folder, held_shard, make_shards, workspace, writing
from engine.indexing.workers.build_worker import BatchResult, ParseRules
from engine.indexing.workers.document_reading import read_documents
from engine.notices import Notice, about
from engine.progress import Progress, no_progress
from engine.records import dataclass
from engine.system.held_folder import HeldFolder
from engine.system.process import release_memory
from engine.text.analyser import analyser_from, make_analyser

if TYPE_CHECKING:
    from engine.indexing.block_encoding import BlockEncoding

# Digest of entities that equals no other.
OUTDATED = "outdated"
LOST = "it was indexed before, and is no longer searchable"


def update_index(
    index: Path,
    sources: Sequence[str],
    settings: BuildSettings | None = None,
    *,
    n_shards: int | None = None,
    forget: Sequence[str] = (),
    progress: Progress = no_progress,
) -> IngestReport:
    """Bring an index up to date with its sources and return the report; create it if there is none.

    Args:
        sources: known sources are updated, new ones added; if empty, all known sources are updated. A source inside a
            known folder updates that folder. A source `!PATTERN` excludes files of all sources.
        n_shards: number of shards of a new index, None for one without; an existing index keeps its number.
        forget: sources whose documents are removed.
    Raises: CollectionError, SettingsError, IndexFormatError, IndexLockedError; the index is unchanged then.
    """
    settings = settings or BuildSettings()
    began = time.perf_counter()
    with writing(index, lambda: check_folder(index, sharded=n_shards is not None or is_sharded(index))) as held:
        old = _old_generation(index, settings, n_shards)
        before = old.combined()
        wanted, remembered, covered = wanted_sources(before, sources, forget)
        read_now, forgotten = set(map(source_key, wanted)), set(map(source_key, forget))
        with workspace(held) as work, listing_of(wanted, settings.limits, work, progress) as listing:
            settled = settled_before(work)
            last = known_report(index, old)
            used = UsedEntities.from_dict(last.entities)
            entities = read_entities(settings.entities, used.options)
            anew = bool(before.segments) and entities_digest(entities, used.dtds) != used.digest

            shards = _shards(index, old, last, listing.entries, progress)
            encoding = _encoding(held, shards, settings.vectors, progress)
            changes = [
                find_changes(
                    shard.old,
                    open_segments(shard.folder, shard.old),
                    shard.listed,
                    settings.limits,
                    read_now,
                    forgotten,
                    {} if settings.check == "content" else shard.times,
                    shard.progress,
                    images=settings.images,
                    anew=anew,
                )
                for shard in shards
            ]

            analyser, profile = analyser_from(before.analyser), profile_of(before)
            otherwise, n_known = list[Vocabulary](), len(profile.inferred or ())
            if profile.inferred is not None and settings.infer:
                entries = chain.from_iterable(each.new for each in changes)
                profile, otherwise = infer(profile, entries, settings.limits, entities)
                described = _profile_of_index(profile)
                old = replace(old, profile=described)
                shards = [replace(shard, old=replace(shard.old, profile=described)) for shard in shards]
            rules = ParseRules(
                analyser, profile, settings.limits, entities, _known_images(shards) if settings.images else None
            )
            results_of_shards = read_documents([each.new for each in changes], rules, settings, work, progress)
            results = list(chain.from_iterable(results_of_shards))
            release_memory()
            skipped = [*listing.skipped, *chain.from_iterable(each.skipped for each in changes)]
            skipped += chain.from_iterable(result.skipped for result in results)
            if settings.stop_on_error and skipped:
                raise CollectionError(_refusal(skipped))

            manifests, new = _published(held, old, remembered, shards, changes, results_of_shards, settings, encoding)
            after = new.combined()

            lost, times = set[str](), []
            for shard, manifest, each in zip(shards, manifests, changes, strict=True):
                live = live_files(
                    manifest, open_segments(shard.folder, manifest), {each.document_id for each in shard.listed}
                )
                gone = each.replaced - live.keys()
                lost |= {entry.name for entry in each.new if entry.document_id in gone}
                times.append(_times(shard, live, settled, compares_images=settings.images))
            dtds = used.dtds.union(*(result.dtds for result in results))
            is_behind = anew and not read_now.issuperset(remembered)  # the others are read again in the next build
            digest = OUTDATED if is_behind else entities_digest(entities, dtds)
            report = replace(
                count_content(index, after),
                read=sum(result.n_documents for result in results),
                dropped=sum(len(numbers) for each in changes for numbers in each.deleted.values()),
                bytes=sum(result.n_bytes for result in results),
                skipped=_lost_first(skipped, lost),
                ignored=_ignored_files(index, after, listing),
                kept_entities=_sum(result.kept_entities or {} for result in results),
                entities=UsedEntities(settings.entities.over(used.options), dtds, digest).to_dict(),
                images=_images_if_any(_sum(result.images or {} for result in results)),
                manifest=manifest_digest(new),
            )
            found = chain(
                notices_of(index, before, after, listing, results, report, settings.memory, is_anew=anew),
                notices_of_vocabularies(profile, otherwise, (profile.inferred or ())[n_known:]),
            )
            if encoding is not None and encoding.n_encoded:
                fields = {"texts": encoding.n_encoded, "encoder": encoding.record.name}
                found = chain([Notice("texts_encoded", fields)], found)
            seconds = round(time.perf_counter() - began, 3)
            report = replace(report, notices=[*covered, *found], seconds=seconds)
            return _written(held, report, shards, manifests, times)


def compact_index(index: Path, *, memory: int = BuildSettings.memory, progress: Progress = no_progress) -> None:
    """Merge all segments of an index, or of each of its shards, into one without deleted documents.

    Args:
        memory: bytes that may be used; what is written does not depend on it.
    """

    def check() -> None:
        read_generation(index)  # raises an error before a lock is created in a folder that is not an index
        check_folder(index, sharded=is_sharded(index))

    with writing(index, check) as held:
        old = defining_generation(index)
        shards = _shards(index, old, IngestReport(), [], progress)
        encoding = _encoding(held, shards, None, progress)
        manifests = []
        for shard in shards:
            with held_shard(held, shard.folder) as folder:
                manifests.append(merge_all(folder, shard.old, shard.progress, memory, encoding))
        new = publish_shards(held, old, old.sources, manifests)
        carry_times(held, old, new)
        for shard, manifest in zip(shards, manifests, strict=True):
            with held_shard(held, shard.folder) as folder:
                carry_times(folder, shard.old, manifest)


def shard_of(document_id: str, n_shards: int) -> int:
    """Return the number of the shard that contains a document: SHA-256 of its id, first eight bytes, modulo n."""
    return int.from_bytes(hashlib.sha256(document_id.encode()).digest()[:8], "big") % n_shards


@dataclass(frozen=True)
class _Shard:
    """A shard before a build; an index without shards is its only one."""

    folder: Path
    old: Manifest
    listed: list[DocumentEntry]
    times: Mapping[str, int]  # modification times at the last build, by document id
    progress: Progress


def _shards(
    index: Path, old: Generation, last: IngestReport, listed: list[DocumentEntry], progress: Progress
) -> list[_Shard]:
    """Return the shards of a generation, each with its documents among those listed; last: the report of the index."""
    if isinstance(old, Manifest):
        return [_Shard(index, old, listed, last.times, progress)]
    documents: list[list[DocumentEntry]] = [[] for _ in old.shards]
    for entry in listed:
        documents[shard_of(entry.document_id, len(documents))].append(entry)
    return [
        _Shard(
            folder,
            manifest,
            documents[number],
            known_report(folder, manifest).times,
            _named(progress, f"shard {number + 1} of {len(documents)}"),
        )
        for number, (folder, manifest) in enumerate(old.in_folders(index))
    ]


def _published(
    index: HeldFolder,
    old: Generation,
    sources: tuple[str, ...],
    shards: Sequence[_Shard],
    changes: Sequence[Changes],
    results: Sequence[Sequence[BatchResult]],
    settings: BuildSettings,
    encoding: BlockEncoding | None,
) -> tuple[list[Manifest], Generation]:
    """Publish the shards with their changes, then the whole; return both."""
    make_shards(index, old)
    manifests = []
    for shard, each, read in zip(shards, changes, results, strict=True):
        with held_shard(index, shard.folder) as folder:
            manifests.append(commit(folder, shard.old, sources, each, read, shard.progress, settings, encoding))
    new = publish_shards(index, old, sources, manifests)
    if encoding is not None:
        encoding.finish()
    return manifests, new


def _encoding(
    index: HeldFolder, shards: Sequence[_Shard], name: str | None, progress: Progress
) -> BlockEncoding | None:
    """Return the encoding of the vectors that an index shall have, None without; name: as in `wanted_encoder`."""
    segments = [segment for shard in shards for segment in open_segments(shard.folder, shard.old)]
    if name is None and not any(has_vectors(segment.elements) for segment in segments):
        return None
    from engine.indexing.block_encoding import BlockEncoding, wanted_encoder  # noqa: PLC0415  (few builds use them)

    record = wanted_encoder(name, segments)
    return None if record is None else BlockEncoding(record, index, progress, is_named=name is not None)


def _known_images(shards: Sequence[_Shard]) -> ImageRules:
    """Return rules by which the images that shards have are not decoded again."""
    return ImageRules(
        known=tuple((shard.folder / each.folder, each.digest) for shard in shards for each in shard.old.segments)
    )


def _named(progress: Progress, shard: str) -> Progress:
    return lambda stage, done, total: progress(f"{shard}: {stage}", done, total)


def _old_generation(index: Path, settings: BuildSettings, n_shards: int | None) -> Generation:
    """Return the current generation, or an empty one for a new index.

    Raises: IndexFormatError if built-in profiles have changed since the index was built; SettingsError for another
        analyser, profile or number of shards than those of the index.
    """
    if not is_index(index):
        return _empty_generation(settings, n_shards)
    old = defining_generation(index)
    if n_shards is not None and isinstance(old, Manifest):
        raise SettingsError(about(str(index), Notice("index_without_shards")))
    if n_shards is not None and isinstance(old, ShardedManifest) and n_shards != len(old.shards):
        raise SettingsError(about(str(index), Notice("other_shards", {"shards": len(old.shards), "asked": n_shards})))
    current_profile(index, old.combined())
    if settings.analyser and settings.analyser.to_dict() != old.analyser:
        raise SettingsError(
            f"{index}: was built with {analyser_from(old.analyser)}, not {settings.analyser}: omit the options, or "
            "index into a new folder."
        )
    if settings.profile and digest_of(settings.profile) != old.profile["digest"]:
        was, asked = in_words(old.profile), in_words(settings.profile.to_dict())
        raise SettingsError(
            f"{index}: was built with the profile {was}, not {asked}: omit the option, or index into a new folder."
        )
    return old


def _profile_of_index(profile: Profile) -> dict[str, Any]:
    """Return a profile as a generation has it; its digest leaves out what is inferred."""
    return {**profile.to_dict(), "digest": digest_of(profile)}


def _empty_generation(settings: BuildSettings, n_shards: int | None) -> Generation:
    """Return the generation of a new index, without documents."""
    profile = settings.profile or load_profile("auto")
    if settings.infer and profile.name in (AUTO, *VOCABULARIES):
        profile = replace(profile, inferred=())
    empty = Manifest((settings.analyser or make_analyser()).to_dict(), _profile_of_index(profile))
    return empty if n_shards is None else ShardedManifest(empty.analyser, empty.profile, (Shard(),) * n_shards)


def _times(shard: _Shard, live: Mapping[str, Sequence[str]], settled: int, *, compares_images: bool) -> dict[str, int]:
    """Return the stamps of the documents of a shard that were searchable when they had them.

    Args:
        live: the images of these. compares_images: whether images are known to be those of the stamps.
    """
    times = {document: time for document, time in shard.times.items() if document in live}
    for entry in shard.listed:
        times.pop(entry.document_id, None)
        images = live.get(entry.document_id)
        if images is not None and (compares_images or not images):
            stamp = stamp_of(entry, images)
            if stamp.changed_ns < settled:
                times[entry.document_id] = stamp.value
    return {document: times[document] for document in sorted(times)}


def _written(
    index: HeldFolder,
    report: IngestReport,
    shards: Sequence[_Shard],
    manifests: Sequence[Manifest],
    times: Sequence[Mapping[str, int]],
) -> IngestReport:
    """Write the report of a build, and those of shards, which contain the times of their documents; return it."""
    for shard, manifest, of_shard in zip(shards, manifests, times, strict=True):
        if shard.folder == index.path:
            report = replace(report, times=of_shard)
        else:
            counts = count_content(shard.folder, manifest)
            with held_shard(index, shard.folder) as folder:
                replace(counts, times=of_shard, manifest=manifest_digest(manifest)).write(folder)
    report.write(index)
    return report


def _ignored_files(index: Path, manifest: Manifest, listing: SourceListing) -> dict[str, int]:
    """Return how many files were not looked at, by extension; of an index with images, without images."""
    with_images = any(has_images(segment.elements) for segment in open_segments(index, manifest))
    looked_at = ("", *EXTENSIONS) if with_images else ("",)
    return {name: count for name, count in sorted(listing.ignored.items()) if name not in looked_at}


def _images_if_any(counts: Mapping[str, int]) -> Mapping[str, int]:
    """Return the counts of images; none where no reference leads to a file, as where only texts were indexed."""
    return counts if counts.keys() - {"missing", "elsewhere"} else {}


def _sum(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(sorted(total.items()))


def _lost_first(skipped: Iterable[Skipped], lost: Set[str]) -> list[Skipped]:
    """Return the skipped files, first those that are no longer searchable, with this in their reasons."""
    marked = [
        each._replace(reason=f"{each.reason.removesuffix('.')}; {LOST}") if each.file in lost else each
        for each in skipped
    ]
    return sorted(marked, key=lambda each: each.file not in lost)


def _refusal(skipped: Sequence[Skipped]) -> Notice:
    first = skipped[0]
    return about(f"{first.file}:{first.line}", Notice("stopped", {"reason": first.reason, "skipped": len(skipped)}))
