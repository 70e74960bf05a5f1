"""Evaluation: scores runs against relevance judgements."""

from __future__ import annotations

from eval.judgements.formats.read import read_assessments
from eval.judgements.judgements import Assessments
from eval.scoring.score_table import ScoreRow, ScoreTable

__all__ = ["Assessments", "ScoreRow", "ScoreTable", "read_assessments"]
