"""A file that was not indexed, with the reason."""

from __future__ import annotations

from engine.records import NamedTuple


class Skipped(NamedTuple):
    """A document, archive or folder that was skipped. `line` is 0 where no line applies."""

    file: str
    line: int
    reason: str
