"""Judgements of every INEX generation, in columns."""

from eval.assessments.judgements import (
    NOT_JUDGED,
    TOO_SMALL,
    UNKNOWN,
    Assessments,
    JudgedElements,
    Judgements,
    Passages,
    Scale,
)
from eval.assessments.read import read_assessments

__all__ = [
    "NOT_JUDGED",
    "TOO_SMALL",
    "UNKNOWN",
    "Assessments",
    "JudgedElements",
    "Judgements",
    "Passages",
    "Scale",
    "read_assessments",
]
