"""How good are runs, by the judgements of people?

Reads run and judgement files only; sizes and offsets that these lack come through `eval/text/element_locator.py`.
"""

from __future__ import annotations

from eval.judgements.formats.read import read_assessments
from eval.judgements.judgements import Assessments
from eval.scoring.score_table import ScoreRow, ScoreTable

__all__ = ["Assessments", "ScoreRow", "ScoreTable", "read_assessments"]
