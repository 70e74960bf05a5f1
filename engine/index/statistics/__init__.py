"""Collection statistics of an open index: document and collection frequencies, lengths, counts, vector norms."""

from __future__ import annotations

from engine.index.statistics.collection_statistics import CollectionStatistics
from engine.index.statistics.unit_statistics import Unit
from engine.index.statistics.vector_statistics import TermPairs, VocabularySlice

__all__ = ["CollectionStatistics", "TermPairs", "Unit", "VocabularySlice"]
