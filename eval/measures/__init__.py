"""What does each measure compute?

One file for each family, which is registered when it is imported here.
"""

from __future__ import annotations

from eval.measures import (
    best_in_context,
    focused,
    hixeval,
    inex_eval,
    inex_eval_ng,
    overlap_indicators,
    relevant_in_context,
    span,
    trec,
    trec_eval,
    xcg,
)
from eval.measures.measure_plan import MeasureOptions
from eval.measures.registry import FAMILIES, OptionValue, measure_family

__all__ = ["FAMILIES", "MeasureOptions", "OptionValue", "measure_family"]
__all__ += ["best_in_context", "focused", "hixeval", "inex_eval", "inex_eval_ng"]
__all__ += ["overlap_indicators", "relevant_in_context", "span", "trec", "trec_eval", "xcg"]
