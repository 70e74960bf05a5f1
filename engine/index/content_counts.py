"""Counts the live documents, elements, leaves and terms of an index."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.collection.ingest_report import IngestReport
from engine.index.generation import open_segments
from engine.index.manifest import Manifest, SegmentEntry
from engine.index.segment import Segment
from engine.index.wrong_numbers import reads_columns


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
    return len(set().union(*map(_live_terms, segments, entries)))


def _live_terms(segment: Segment, entry: SegmentEntry) -> list[bytes]:
    terms = segment.articles.strings("terms").all()
    if not entry.deleted:
        return terms
    is_live = entry.live(segment.n_documents)
    live_before = np.concatenate([[0], np.cumsum(is_live[segment.articles.column("document").all()])])
    n_live = np.diff(live_before[segment.articles.column("postings_of_term").all()])
    return [term for term, count in zip(terms, n_live.tolist(), strict=True) if count]
