"""Relevance judgements of every INEX generation."""

from __future__ import annotations

from eval.judgements.formats.read import read_assessments
from eval.judgements.judgements import (
    NOT_JUDGED,
    TOO_SMALL,
    UNKNOWN,
    Assessments,
    JudgedElements,
    Judgements,
    Passages,
    Scale,
)

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
