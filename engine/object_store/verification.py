"""Verification of an index that may be the local copy of one in object storage."""

from __future__ import annotations

import shutil

from engine.collection.ingest_report import IngestReport
from engine.columns.checked_folder import reads_columns
from engine.errors import IndexFormatError
from engine.index.generation import verify_generation
from engine.index.reader import IndexReader
from engine.object_store.mirror import origin_of


@reads_columns
def verify_opened(reader: IndexReader) -> None:
    """Compare every block of every file with its checksum.

    Raises: IndexFormatError at the first mismatch; damaged local copies of segments are removed, and fetched again when
        the index is opened next.
    """
    try:
        verify_index(reader)
    except IndexFormatError as error:
        url = origin_of(reader.folder)
        if url is None or not _remove_damaged(reader):
            raise
        raise IndexFormatError(
            f"{url}: the local copy was damaged ({error}). It is removed; the object storage is not affected. Repeat "
            "the command, which fetches it again."
        ) from None


def _remove_damaged(reader: IndexReader) -> bool:
    """Remove the segments that are damaged, and return whether there was one."""
    n_removed = 0
    for segment in reader.segments:
        try:
            segment.verify()
        except IndexFormatError:
            shutil.rmtree(segment.folder, ignore_errors=True)
            n_removed += 1
    return n_removed > 0


@reads_columns
def verify_index(reader: IndexReader) -> None:
    """Compare every block of every file with its checksum; raises IndexFormatError at the first mismatch."""
    verify_generation(reader.folder)
    for segment in reader.segments:
        segment.verify()
    IngestReport.verify(reader.folder)
