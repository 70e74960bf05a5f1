"""How good are the answers of a run?

Measures over runs and judgements, statistics over their scores, tuning. No index is needed: where elements are in the
text of their documents comes through one interface (`eval.text.element_locator`).
"""

from __future__ import annotations

from eval.judgements.formats.read import read_assessments
from eval.judgements.judgements import Assessments
from eval.scoring.score_table import ScoreRow, ScoreTable

__all__ = ["Assessments", "ScoreRow", "ScoreTable", "read_assessments"]
