"""Verification of a whole index."""

from __future__ import annotations

from engine.collection.ingest_report import IngestReport
from engine.index.generation import verify_generation
from engine.index.reader import IndexReader
from engine.index.wrong_numbers import reads_columns


@reads_columns
def verify_index(reader: IndexReader) -> None:
    """Compare every block of every file with its checksum; raises IndexFormatError at the first mismatch."""
    verify_generation(reader.folder)
    for segment in reader.segments:
        segment.verify()
    IngestReport.verify(reader.folder)
