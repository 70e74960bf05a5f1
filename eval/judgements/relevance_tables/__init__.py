"""Statistics of judgements: number, size and relevant share of elements by kind."""

from __future__ import annotations

from eval.judgements.relevance_tables.distribution import Distribution, ElementGroup, distribution
from eval.judgements.relevance_tables.grade_correlation import (
    Composition,
    GradeCorrelation,
    composition,
    grade_correlation,
)
from eval.judgements.relevance_tables.overlap_table import OverlapTable, overlap_table
from eval.judgements.relevance_tables.relevance import By, RelevanceTables, relevance
from eval.judgements.relevance_tables.summary_statistics import SummaryStatistics, summary

__all__ = [
    "By",
    "Composition",
    "Distribution",
    "ElementGroup",
    "GradeCorrelation",
    "OverlapTable",
    "RelevanceTables",
    "SummaryStatistics",
    "composition",
    "distribution",
    "grade_correlation",
    "overlap_table",
    "relevance",
    "summary",
]
