"""Modification times of documents at the last build, and the entities that it used.

They are valid for the generation that it made, and for no other.

A report may be left behind by a build that failed, was killed, or lost against another writer; its times are not used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from engine.collection.entity_options import UsedEntities
from engine.collection.ingest_report import IngestReport
from engine.index.manifest import Manifest


def known_times(index: Path, generation: Manifest) -> tuple[Mapping[str, int], UsedEntities]:
    """Return the times of the last build by document id, and its entities; none if the report is of another one."""
    report = IngestReport.load(index)
    if report.manifest != manifest_digest(generation):
        return {}, UsedEntities()
    return report.times, UsedEntities.from_dict(report.entities)


def carry_times(index: Path, old: Manifest, new: Manifest) -> None:
    """Make the times of a generation valid for another one of the same documents."""
    report = IngestReport.load(index)
    if report.manifest == manifest_digest(old) and new != old:
        replace(report, manifest=manifest_digest(new)).write(index)


def manifest_digest(generation: Manifest) -> str:
    """Return the SHA-256 by which a report names a generation."""
    return hashlib.sha256(generation.to_bytes()).hexdigest()
