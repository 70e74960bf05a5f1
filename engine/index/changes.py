"""What changed since the last generation: which documents are new, and which of the old ones must go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.collection.sources import Entry, Skipped, SourceListing
from engine.errors import CollectionError
from engine.index.manifest import Manifest
from engine.index.segment import Segment
from engine.index.worker import digest_of


@dataclass(frozen=True)
class Changes:
    """Documents to read, by id, and documents to delete: segment name -> numbers in it."""

    new: Sequence[Entry]
    deleted: Mapping[str, Sequence[int]]


@dataclass(frozen=True)
class _Known:
    segment: Segment
    number: int

    @property
    def size_bytes(self) -> int:
        return int(self.segment.elements.column("size_bytes").slice(self.number, self.number + 1)[0])

    @property
    def digest(self) -> bytes:
        return self.segment.elements.column("digest").slice(self.number, self.number + 1).tobytes()

    @property
    def source(self) -> str:
        number = int(self.segment.elements.column("source").slice(self.number, self.number + 1)[0])
        return self.segment.sources[number]


def find_changes(
    old: Manifest,
    segments: Sequence[Segment],
    listing: SourceListing,
    read_now: set[str],
    forgotten: set[str],
    times: Mapping[str, int],
) -> Changes:
    """Return what changed.

    A document changed when its size or time is another one and its content too. A document that its source no longer
    lists is deleted; one that another source of the index already holds is left out of the new ones.

    Args:
        read_now: keys of the sources that were listed; documents of others stay.
        times: modification times of the last build, by document id.
    """
    known = _known_documents(old, segments)
    new: list[Entry] = []
    gone: list[_Known] = []
    for entry in listing.entries:
        before = known.pop(entry.document, None)
        if before is None:
            new.append(entry)
        elif before.source != entry.source and before.source not in read_now | forgotten:
            listing.skipped.append(_held_by_other(entry, before))
        elif before.source == entry.source and _is_same(entry, before, times):
            continue
        else:
            new.append(entry)
            gone.append(before)
    gone += [document for document in known.values() if document.source in read_now | forgotten]
    deleted: dict[str, list[int]] = {}
    for document in gone:
        deleted.setdefault(document.segment.name, []).append(document.number)
    return Changes(new, deleted)


def _known_documents(old: Manifest, segments: Sequence[Segment]) -> dict[str, _Known]:
    known = {}
    for segment, entry in zip(segments, old.segments, strict=True):
        deleted = set(entry.deleted)
        for number, document in enumerate(segment.ids):
            if number not in deleted:
                known[document] = _Known(segment, number)
    return known


def live_ids(manifest: Manifest, segments: Sequence[Segment]) -> set[str]:
    """Return the ids of the live documents of a generation."""
    return set(_known_documents(manifest, segments))


def _is_same(entry: Entry, before: _Known, times: Mapping[str, int]) -> bool:
    if entry.size != before.size_bytes:
        return False
    if times.get(entry.document) == entry.mtime_ns:
        return True
    try:
        return digest_of(entry.read()) == before.digest
    except CollectionError:
        return False


def _held_by_other(entry: Entry, before: _Known) -> Skipped:
    reason = (
        f"its document id {entry.document!r} is already that of a document from {before.source}; rename one of them"
    )
    return Skipped(entry.name, 0, reason)
