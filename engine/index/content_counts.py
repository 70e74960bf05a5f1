"""Counts the live documents, elements, leaves and terms of an index."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.array_types import Mask
from engine.collection.ingest_report import IngestReport
from engine.columns.sliced import PIECE, SlicedColumn, SlicedStrings
from engine.columns.term_ranges import term_ranges
from engine.columns.wrong_numbers import reads_columns
from engine.index.generation import open_segments
from engine.index.manifest import Manifest, SegmentEntry
from engine.index.segment import Segment


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
        for terms, first, numbers in zip(live, each.firsts, each.numbers, strict=True):
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
