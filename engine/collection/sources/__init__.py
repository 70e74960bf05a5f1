"""Sources: where documents come from and how their bytes are read."""

from __future__ import annotations

from engine.collection.limits import Limits
from engine.collection.sources.document_entry import ByteRange, DocumentEntry
from engine.collection.sources.skipped import Skipped
from engine.collection.sources.source_listing import SourceListing, open_sources, source_key

__all__ = ["ByteRange", "DocumentEntry", "Limits", "Skipped", "SourceListing", "open_sources", "source_key"]
