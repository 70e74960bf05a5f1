"""The ingest report: counts of an index and of its last build, and the skipped files. Stored as `ingest.json`.

No answer depends on it; an index without the report is complete. Its modification times only save reading files again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import field
from pathlib import Path
from typing import Any, ClassVar

from engine.collection.entities.entity_options import UsedEntities
from engine.collection.sources.document_entry import Skipped
from engine.errors import IndexFormatError
from engine.notices import Message
from engine.records import dataclass
from engine.system.files import read_regular
from engine.system.held_folder import HeldFolder

REPORT = "ingest.json"


@dataclass(frozen=True, repr=False)
class IngestReport:
    """Counts of the whole index after a build, and of the build.

    Of the build are `read`, `dropped`, `bytes`, `seconds`, `skipped`, `ignored` and `kept_entities`.
    A changed document counts twice: its new version is read, its old one dropped.
    """

    documents: int = 0
    elements: int = 0
    leaves: int = 0
    terms: int = 0
    read: int = 0
    dropped: int = 0
    bytes: int = 0
    seconds: float = 0.0
    skipped: Sequence[Skipped] = ()
    notices: Sequence[Message] = ()  # what else the user should know
    ignored: Mapping[str, int] = field(default_factory=dict)  # files not looked at, by extension
    kept_entities: Mapping[str, int] = field(default_factory=dict)  # references kept as text, by entity
    times: Mapping[str, int] = field(default_factory=dict)  # by document id: modification time (ns), or `stamp_of` it
    # Of the build: image files that were `read` or `refused`; references to files that are `missing`, to addresses or
    # paths out of the source (`elsewhere`), and to files that are `unread` without the extra `images`.
    images: Mapping[str, int] = field(default_factory=dict)
    entities: Mapping[str, Any] = field(default_factory=dict)  # `UsedEntities` of the build
    manifest: str = ""  # SHA-256 of the manifest of the generation for which the times are valid

    # It contains dictionaries.
    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"IngestReport(documents={self.documents}, elements={self.elements}, terms={self.terms}, read={self.read}, "
            f"dropped={self.dropped}, skipped={len(self.skipped)}, seconds={self.seconds:.3g})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the report as `--json` prints it."""
        return {
            "documents": self.documents,
            "elements": self.elements,
            "leaves": self.leaves,
            "terms": self.terms,
            "read": self.read,
            "dropped": self.dropped,
            "bytes": self.bytes,
            "seconds": self.seconds,
            "skipped": [skipped._asdict() for skipped in self.skipped],
            "notices": list(map(str, self.notices)),
            "ignored": dict(self.ignored),
            "kept_entities": dict(self.kept_entities),
            **({"images": dict(self.images)} if self.images else {}),
        }

    def write(self, index: HeldFolder | Path | str) -> None:
        """Write the report into the index."""
        with nullcontext(index) if isinstance(index, HeldFolder) else HeldFolder(Path(index)) as held:
            held.replace(REPORT, _to_bytes(self), sync=False)

    @classmethod
    def load(cls, index: Path | str) -> IngestReport:
        """Return the report of the last build, or an empty one if it is missing or damaged."""
        try:
            raw = read_regular(Path(index) / REPORT)
        except (OSError, ValueError):  # the latter for a name that no file can have
            return cls()
        return _from_bytes(raw) or cls()

    @classmethod
    def verify(cls, index: Path | str) -> None:
        """Raise IndexFormatError if the report is damaged or cannot be read; a missing report is not an error."""
        if os.path.lexists(Path(index) / REPORT):
            cls.read_from(index)

    @classmethod
    def read_from(cls, index: Path | str) -> IngestReport:
        """Return the report of the last build; raises IndexFormatError if it is missing, damaged or unreadable."""
        path = Path(index) / REPORT
        try:
            raw = read_regular(path)
        except FileNotFoundError:
            raise IndexFormatError(
                f"{path}: the report of the last build is missing; the index itself is not affected. The next "
                "'foxir index' writes a new one."
            ) from None
        except (OSError, ValueError) as error:  # the latter for a name that no file can have
            reason = error.strerror if isinstance(error, OSError) else error
            raise IndexFormatError(f"{path}: cannot be read: {reason}: remove it.") from None
        report = _from_bytes(raw)
        if report is None:
            raise IndexFormatError(
                f"{path}: does not match its checksum: the report of the last build is damaged; the index itself is "
                "not affected. Remove the file; the next 'foxir index' writes a new one."
            )
        return report

    @property
    def is_sound(self) -> bool:
        """Whether all values have the right types; the file may have been edited."""
        counts = (self.documents, self.elements, self.leaves, self.terms, self.read, self.dropped, self.bytes)
        return (
            all(type(count) is int for count in counts)
            and type(self.seconds) in (int, float)
            and all(
                isinstance(numbers, dict) and all(type(number) is int for number in numbers.values())
                for numbers in (self.times, self.ignored, self.kept_entities, self.images)
            )
            and all(map(_is_sound_skip, self.skipped))
            and _are_sound_entities(self.entities)
            and isinstance(self.notices, list | tuple)
            and all(isinstance(text, str) for text in (*self.notices, self.manifest))
        )


def _to_bytes(report: IngestReport) -> bytes:
    content = {**report.to_dict(), "manifest": report.manifest, "times": dict(report.times)}
    if report.entities:
        content["entities"] = dict(report.entities)
    content["checksum"] = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return f"{json.dumps(content, indent=1)}\n".encode()


def _from_bytes(raw: bytes) -> IngestReport | None:
    """Return the report, None unless the bytes are exactly those that foxir writes for it."""
    try:
        content = json.loads(raw)
        del content["checksum"]
        skipped = [Skipped(**entry) for entry in content.pop("skipped")]
        report = IngestReport(**content, skipped=skipped)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return report if report.is_sound and _to_bytes(report) == raw else None


def _are_sound_entities(entities: object) -> bool:
    try:
        return isinstance(entities, dict) and UsedEntities.from_dict(entities).to_dict() == entities
    except (ValueError, TypeError, KeyError):
        return False


def _is_sound_skip(skipped: Skipped) -> bool:
    return isinstance(skipped.file, str) and type(skipped.line) is int and isinstance(skipped.reason, str)
