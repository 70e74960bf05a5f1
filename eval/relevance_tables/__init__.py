"""What judgements hold: how many elements of which kind, how long they are, how much of them is relevant."""

from eval.relevance_tables.command import By, RelevanceTables, relevance
from eval.relevance_tables.distribution import Distribution, Group, distribution
from eval.relevance_tables.grades import Composition, GradeCorrelation, composition, grade_correlation
from eval.relevance_tables.overlap import OverlapTable, overlap_table
from eval.relevance_tables.summary import Summary, summary

__all__ = [
    "By",
    "Composition",
    "Distribution",
    "GradeCorrelation",
    "Group",
    "OverlapTable",
    "RelevanceTables",
    "Summary",
    "composition",
    "distribution",
    "grade_correlation",
    "overlap_table",
    "relevance",
    "summary",
]
