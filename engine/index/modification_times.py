"""Modification times of documents at the last build, and the entities that it used.

They are valid for the generation that it made, and for no other.

A report may be left behind by a build that failed, was killed, or lost against another writer; its times are not used.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import replace
from pathlib import Path

from engine.collection.ingest_report import IngestReport
from engine.index.generation import Generation
from engine.system.files import clock_ns

# A file that was changed so shortly before a build (in ns) may change again without a new time: its time is not stored.
FRESH = 2 * 10**9


def settled_before(folder: Path) -> int:
    """Return the time, in ns since 1970, before which a file must have been changed for its time to be stored.

    Of the clock of this machine and that of the file system of a folder, which may be a server's, the earlier one
    counts: one that is ahead would take any time for an old one.
    """
    return min(time.time_ns(), clock_ns(folder)) - FRESH


def known_report(index: Path, generation: Generation) -> IngestReport:
    """Return the report of the build that made a generation, an empty one if that on disk is of another build."""
    report = IngestReport.load(index)
    return report if report.manifest == manifest_digest(generation) else IngestReport()


def carry_times(index: Path, old: Generation, new: Generation) -> None:
    """Make the times of a generation valid for another one of the same documents."""
    report = known_report(index, old)
    if report.manifest and new != old:
        replace(report, manifest=manifest_digest(new)).write(index)


def manifest_digest(generation: Generation) -> str:
    """Return the SHA-256 by which a report names a generation."""
    return hashlib.sha256(generation.to_bytes()).hexdigest()
