"""Sources: where documents come from, and how their bytes are had."""

from engine.collection.limits import Limits
from engine.collection.sources.entry import Entry, Place, Skipped
from engine.collection.sources.listing import SourceListing, open_sources, source_key

__all__ = ["Entry", "Limits", "Place", "Skipped", "SourceListing", "open_sources", "source_key"]
