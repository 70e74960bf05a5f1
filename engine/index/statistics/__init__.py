"""Collection statistics of an open index: document and collection frequencies, lengths, counts, vector norms."""

from __future__ import annotations

from engine.index.statistics.collection_statistics import CollectionStatistics
from engine.index.statistics.term_statistics import TermStatistics
from engine.index.statistics.unit_statistics import Unit, UnitStatistics
from engine.index.statistics.vector_statistics import TermPairs, VectorStatistics, VocabularySlice

__all__ = [
    "CollectionStatistics",
    "TermPairs",
    "TermStatistics",
    "Unit",
    "UnitStatistics",
    "VectorStatistics",
    "VocabularySlice",
]
