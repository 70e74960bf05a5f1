"""One member of an archive, zip or tar, and the limit on their number."""

from __future__ import annotations

from engine.collection.limits import Limits, limit_hint
from engine.collection.sources.document_entry import ByteRange
from engine.records import NamedTuple


class Member(NamedTuple):
    """One member of an archive; `skip_reason` is None for a file that can be read."""

    path: str
    size: int
    byte_range: ByteRange
    skip_reason: str | None


def too_many_members(limits: Limits) -> str:
    """Return why an archive with more members than the limit is refused."""
    return f"more than {limits.max_members:,} members, {limit_hint('max_members')}"
