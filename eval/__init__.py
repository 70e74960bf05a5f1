"""foxir's evaluation package: scores runs against highlighted judgements."""

from eval.assessments import Assessments, read_assessments
from eval.scoring import score
from eval.table import Row, Table

__all__ = ["Assessments", "Row", "Table", "read_assessments", "score"]
