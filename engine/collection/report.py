"""The ingest report: what an index took in, and what was left out and why. Stored as `ingest.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.collection.sources import Skipped
from engine.plain import read_plain, write_plain

REPORT = "ingest.json"


@dataclass(frozen=True)
class IngestReport:
    """Counts over the whole index after a build; read, dropped, bytes and seconds are those of the build.

    A document that changed is read anew, and its old version dropped.
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
    times: Mapping[str, int] = field(default_factory=dict)  # modification time by document, to see what changed

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
        }

    def write(self, index: Path) -> None:
        """Write the report into the index."""
        content = {**self.to_dict(), "times": dict(self.times)}
        write_plain(index / REPORT, f"{json.dumps(content, indent=1)}\n".encode(), sync=False)

    @classmethod
    def load(cls, index: Path) -> IngestReport:
        """Return the report of the last build, an empty one where it is missing or unreadable: it only saves time."""
        try:
            content = json.loads(read_plain(index / REPORT))
            skipped = [Skipped(**entry) for entry in content.pop("skipped")]
            report = cls(**content, skipped=skipped)
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return cls()
        return report if report._is_sound() else cls()

    def _is_sound(self) -> bool:
        """Return whether all values are of their kind: the file may have been damaged or edited."""
        counts = (self.documents, self.elements, self.leaves, self.terms, self.read, self.dropped, self.bytes)
        return (
            all(type(count) is int for count in counts)
            and type(self.seconds) in (int, float)
            and isinstance(self.times, dict)
            and all(type(time) is int for time in self.times.values())
            and all(map(_is_sound_skip, self.skipped))
        )


def _is_sound_skip(skipped: Skipped) -> bool:
    return isinstance(skipped.file, str) and type(skipped.line) is int and isinstance(skipped.reason, str)
