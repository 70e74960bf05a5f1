"""The measure families: one file each; a family is registered when its file is imported here."""

from __future__ import annotations

from eval.measures.best_in_context import bic
from eval.measures.focused import focused, thorough
from eval.measures.hixeval import hixeval
from eval.measures.hixeval_group import hixeval_group
from eval.measures.inex_eval import inex_eval
from eval.measures.inex_eval_ng import inex_eval_ng
from eval.measures.measure_options import MeasureOption, OptionValue
from eval.measures.measure_plan import MeasureOptions, PlannedMeasure, plan
from eval.measures.overlap_indicators import overlap, overlap_indicators
from eval.measures.registry import FAMILIES, MeasureFamily, MeasureValues, measure, measure_family
from eval.measures.relevant_in_context import ric
from eval.measures.trec import trec
from eval.measures.xcg import xcg
from eval.measures.xcg_group import xcg_group

__all__ = [
    "FAMILIES",
    "MeasureFamily",
    "MeasureOption",
    "MeasureOptions",
    "MeasureValues",
    "OptionValue",
    "PlannedMeasure",
    "bic",
    "focused",
    "hixeval",
    "hixeval_group",
    "inex_eval",
    "inex_eval_ng",
    "measure",
    "measure_family",
    "overlap",
    "overlap_indicators",
    "plan",
    "ric",
    "thorough",
    "trec",
    "xcg",
    "xcg_group",
]
