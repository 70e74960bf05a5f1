"""Commits a build: parts become a segment, segments a generation with its counts; unreferenced segments are removed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.arrays import Mask
from engine.collection.document_limits import limit_exceeded
from engine.collection.ingest_report import IngestReport
from engine.collection.limits import Limits
from engine.columns.checked_folder import reads_columns
from engine.columns.sliced import PIECE, SlicedColumn, SlicedStrings, term_ranges
from engine.errors import CollectionError
from engine.index.attribute_columns import Attributes
from engine.index.block_vectors import EncoderRecord, VectorColumns
from engine.index.field_columns import FieldColumns
from engine.index.file_names import SEGMENTS
from engine.index.generation import Generation, Shard, open_segments, profile_of
from engine.index.images.image_columns import ImageColumns, has_images
from engine.index.manifest import Manifest, SegmentEntry, Totals
from engine.index.segment import FORMS, Segment
from engine.indexing.build_settings import BuildSettings
from engine.indexing.change_detection import Changes
from engine.indexing.deletion import remove_documents
from engine.indexing.index_folder import remove_unreferenced, workspace
from engine.indexing.index_part import (
    BYTE_COLUMNS,
    DOCUMENT_COLUMNS,
    ELEMENT_COLUMNS,
    POSITION_COLUMNS,
    POSTING_COLUMNS,
    WORD_COLUMNS,
    IndexPart,
)
from engine.indexing.segment_writer import write_segment
from engine.indexing.workers.build_worker import BatchResult
from engine.progress import Progress, counting
from engine.system.held_folder import HeldFolder

if TYPE_CHECKING:
    from engine.indexing.block_encoding import BlockEncoding


@reads_columns
def count_content(index: Path, manifest: Manifest) -> IngestReport:
    """Return a report with the counts of a generation."""
    segments = open_segments(index, manifest)
    leaves = 0
    for segment, entry in zip(segments, manifest.segments, strict=True):
        counts = segment.elements.column("leaf_count").all().astype(np.int64)
        leaves += int(counts[entry.live(segment.n_documents)].sum())
    return IngestReport(
        documents=manifest.statistics.documents,
        elements=manifest.statistics.elements,
        leaves=leaves,
        terms=_count_terms(segments, manifest.segments),
    )


def _count_terms(segments: Sequence[Segment], entries: Sequence[SegmentEntry]) -> int:
    """Return the number of distinct terms of the live documents; a single segment without deletions stores it."""
    if len(segments) == 1 and not entries[0].deleted:
        return segments[0].n_terms
    live = [_LiveTerms(segment, entry) for segment, entry in zip(segments, entries, strict=True)]
    count = 0
    for each in term_ranges([SlicedStrings.of(segment.articles, "terms") for segment in segments]):
        is_live = np.zeros(len(each.terms), np.bool_)
        for terms, first, numbers in zip(live, each.firsts, each.numbers(), strict=True):
            is_live[numbers[terms.mask(first, first + len(numbers))]] = True
        count += int(is_live.sum())
    return count


class _LiveTerms:
    """A mask of the terms of a segment that occur in a live document."""

    def __init__(self, segment: Segment, entry: SegmentEntry) -> None:
        self._is_live = entry.live(segment.n_documents) if entry.deleted else None
        self._documents = SlicedColumn.plain(segment.articles, "document")
        self._pointers = SlicedColumn.ascending(segment.articles, "postings_of_term")

    def mask(self, first: int, last: int) -> Mask:
        """Return whether each term from `first` to `last` (exclusive) occurs in a live document."""
        if self._is_live is None:
            return np.ones(last - first, np.bool_)
        bounds = self._pointers[first : last + 1]
        live_before = np.zeros(len(bounds), np.int64)
        for start in range(int(bounds[0]), int(bounds[-1]), PIECE):
            places = start + np.flatnonzero(self._is_live[self._documents[start : min(start + PIECE, int(bounds[-1]))]])
            live_before += np.searchsorted(places, bounds)
        return np.diff(live_before) > 0


# Beyond this number the smallest segments are merged, as every segment adds to the time of each query.
MAX_SEGMENTS = 8


def commit(
    index: HeldFolder,
    old: Manifest,
    sources: tuple[str, ...],
    changes: Changes,
    results: Sequence[BatchResult],
    progress: Progress,
    settings: BuildSettings,
    encoding: BlockEncoding | None = None,
) -> Manifest:
    """Write the new documents as a segment, publish the new generation and return it.

    If nothing changed, the old generation stays and is returned.

    Args:
        settings: memory and limits. encoding: of the vectors that all segments shall have; None for none.
    """
    entries = [
        replace(entry, deleted=tuple(sorted({*entry.deleted, *changes.deleted.get(entry.name, ())})))
        for entry in old.segments
    ]
    entries = [entry for entry in entries if not _all_deleted(index, entry)]
    parts, memory = [IndexPart.load(folder) for result in results for folder in result.folders], settings.memory
    if parts:
        _check_names(index, entries, parts, settings.limits)
        name, digest = _write(index, old, parts, progress, memory, encoding)
        entries = [entry for entry in entries if entry.name != name] + [SegmentEntry(name, digest)]
    others = [entry for entry in entries if not _has_vectors_of(index, entry, encoding)]
    if others:
        written = merge_segments(index, old, others, progress, memory, encoding)
        entries = [entry for entry in entries if entry not in others] + list(written)
    if len(entries) > MAX_SEGMENTS:
        by_size = sorted(entries, key=lambda entry: Segment.open(index / entry.folder, entry.digest).size_bytes)
        smallest = by_size[: len(entries) - MAX_SEGMENTS + 1]
        merged = merge_segments(index, old, smallest, progress, memory, encoding)
        entries = [entry for entry in entries if entry not in smallest] + list(merged)
    if tuple(entries) == old.segments and sources == old.sources and old.generation:
        remove_unreferenced(index, old)
        return old
    return publish(index, old, sources, tuple(entries))


@reads_columns
def _check_names(
    index: HeldFolder, entries: Sequence[SegmentEntry], parts: Sequence[IndexPart], limits: Limits
) -> None:
    """Raise CollectionError if segments and new parts together have more distinct names than the limit allows.

    All are in memory when segments are merged or opened.
    """
    segments = (segment_part(Segment.open(index / each.folder, each.digest)) for each in entries)
    tags, attributes = set[str](), set[str]()
    for part in chain(parts, segments):
        tags.update(part.tags)
        attributes.update(part.attributes.names)
        if len(tags) + len(attributes) > limits.max_distinct_names:
            exceeded = limit_exceeded("max_distinct_names", limits.max_distinct_names)
            raise CollectionError(f"{index.path}: its documents would have {exceeded}")


@reads_columns
def _all_deleted(index: HeldFolder, entry: SegmentEntry) -> bool:
    return bool(entry.deleted) and len(entry.deleted) == Segment.open(index / entry.folder, entry.digest).n_documents


@reads_columns
def _has_vectors_of(index: HeldFolder, entry: SegmentEntry, encoding: BlockEncoding | None) -> bool:
    """Return whether a segment has vectors of an encoder; without one, whether it has none."""
    record = EncoderRecord.read(Segment.open(index / entry.folder, entry.digest).elements)
    return record == (encoding and encoding.record)


def _write(
    index: HeldFolder,
    manifest: Manifest,
    parts: Sequence[IndexPart],
    progress: Progress,
    memory: int,
    encoding: BlockEncoding | None,
) -> tuple[str, str]:
    advance = counting(progress, "merging", sum(part.n_tokens for part in parts))
    index.check()
    with index.folder(SEGMENTS, make=True) as segments:
        written = write_segment(parts, segments, profile_of(manifest), advance, memory, encoding)
    index.sync()
    return written


@reads_columns
def merge_segments(
    index: HeldFolder,
    manifest: Manifest,
    entries: Sequence[SegmentEntry],
    progress: Progress,
    memory: int,
    encoding: BlockEncoding | None,
) -> tuple[SegmentEntry, ...]:
    """Write the live documents of segments as one new segment; return it, or nothing if no document is live."""
    with workspace(index) as work:
        parts = []
        for entry in entries:
            segment = Segment.open(index / entry.folder, entry.digest)
            segment.verify()
            deleted = np.array(entry.deleted, np.int64)
            parts.append(remove_documents(segment_part(segment), deleted, work / entry.name))
        parts = [part for part in parts if part.n_documents]
        return (SegmentEntry(*_write(index, manifest, parts, progress, memory, encoding)),) if parts else ()


def merge_all(
    index: HeldFolder, old: Manifest, progress: Progress, memory: int, encoding: BlockEncoding | None = None
) -> Manifest:
    """Publish a generation of one segment without deleted documents, unless there is one already; return it."""
    if len(old.segments) <= 1 and not any(entry.deleted for entry in old.segments):
        open_segments(index.path, old)  # raises an error if the segment cannot be read
        return old
    return publish(index, old, old.sources, merge_segments(index, old, old.segments, progress, memory, encoding))


def publish(index: HeldFolder, old: Manifest, sources: tuple[str, ...], entries: tuple[SegmentEntry, ...]) -> Manifest:
    """Publish the segments as the new generation and return it; remove those that neither it nor the old one names."""
    manifest = replace(old, generation=old.generation + 1, sources=sources, segments=entries)
    manifest = replace(manifest, statistics=totals_of(open_segments(index.path, manifest), entries))
    manifest.write(index)
    remove_unreferenced(index, old, manifest)  # a reader may still be opening those of the old generation
    return manifest


def publish_shards(
    index: HeldFolder, old: Generation, sources: tuple[str, ...], manifests: Sequence[Manifest]
) -> Generation:
    """Publish the shards, each published already, as a new generation of the whole, unless nothing changed; return it.

    An index without shards is the only one, which has been published.
    """
    if isinstance(old, Manifest):
        return manifests[0]
    shards = tuple(Shard(each.generation, each.segments, each.statistics) for each in manifests)
    if shards == old.shards and sources == old.sources and old.generation:
        return old
    new = replace(old, generation=old.generation + 1, sources=sources, shards=shards)
    combined = new.combined()
    new = replace(new, statistics=totals_of(open_segments(index.path, combined), combined.segments))
    new.write(index)
    return new


@reads_columns
def totals_of(segments: Sequence[Segment], entries: Sequence[SegmentEntry]) -> Totals:
    """Return the sums over all live documents; `fsum` makes them independent of how segments divide the documents."""
    documents = elements = tokens = 0
    weights: list[float] = []
    for segment, entry in zip(segments, entries, strict=True):
        live = entry.live(segment.n_documents)
        documents += int(live.sum())
        elements += int(np.diff(segment.first_row)[live].sum())
        tokens += int(segment.articles.column("length_tokens").all()[live].astype(np.int64).sum())
        weights += segment.articles.column("weight").all()[live].tolist()
    return Totals(documents, elements, tokens, math.fsum(weights) / documents if documents else 0.0)


# Columns in the folder of the articles; the others are in that of the elements.
ARTICLE_COLUMNS = ("length_tokens", "weight", "document", "tf", "opening_tf")


def segment_part(segment: Segment) -> IndexPart:
    """Return the columns of a segment as a part; they are read as they are merged."""
    columns = {name: SlicedColumn.ascending(segment.elements, name) for name in WORD_COLUMNS}
    columns["leaf"], columns["leaf_tf"] = SlicedColumn.leaves(segment.elements, segment.leaves)
    for name in (*DOCUMENT_COLUMNS, *ELEMENT_COLUMNS, *POSTING_COLUMNS, *POSITION_COLUMNS):
        files = segment.articles if name in ARTICLE_COLUMNS else segment.elements
        columns[name] = (SlicedColumn.small if name in BYTE_COLUMNS else SlicedColumn.plain)(files, name)
    pointers = {
        "postings": SlicedColumn.ascending(segment.articles, "postings_of_term"),
        "leaves": SlicedColumn.ascending(segment.elements, "leaves_of_term"),
        "positions": SlicedColumn.ascending(segment.articles, "positions_of_term"),
    }
    return IndexPart(
        ids=segment.ids,
        tags=segment.tags,
        sources=segment.sources,
        profiles=segment.profiles,
        languages=segment.languages,
        terms=SlicedStrings.of(segment.articles, "terms"),
        first_row=segment.first_row,
        columns=columns,
        pointers=pointers,
        text_frames=SlicedStrings.of(segment.elements, "text_frames"),
        block_document=segment.elements.column("block_document").all().astype(np.int64),
        attributes=Attributes.read(segment.elements),
        fields=FieldColumns.read(segment.elements),
        images=ImageColumns.read(segment.elements) if has_images(segment.elements) else None,
        vectors=VectorColumns.read(segment.elements),
        forms=SlicedStrings.of(segment.articles, FORMS) if segment.has_forms else (),
    )
