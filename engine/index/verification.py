"""Verification of a whole index."""

from __future__ import annotations

from engine.collection.ingest_report import IngestReport
from engine.index.manifest import verify_manifest
from engine.index.reader import IndexReader


def verify_index(reader: IndexReader) -> None:
    """Compare every block of every file with its checksum; raises IndexFormatError at the first mismatch."""
    verify_manifest(reader.folder)
    for segment in reader.segments:
        segment.verify()
    IngestReport.verify(reader.folder)
